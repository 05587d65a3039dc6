import { type Logger, pino, stdSerializers } from 'pino';
import { Log } from '../../application/ports/log.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** Where lines go; a terminal says that it is one. */
interface Output {
  readonly isTTY?: boolean | undefined;
  write(line: string): unknown;
}

/** One JSON object a line on standard output, or readable text where that is a terminal. */
export class PinoLog extends Log {
  readonly #logger: Logger;

  constructor(level: LogLevel, output: Output = process.stdout) {
    super();
    const options = {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      serializers: { error: stdSerializers.errWithCause },
    };
    this.#logger = pino(
      options,
      output.isTTY ? { write: (line: string) => void output.write(readable(line)) } : output,
    );
  }

  debug(message: string, fields: Fields = {}): void {
    this.#logger.debug(fields, message);
  }

  info(message: string, fields: Fields = {}): void {
    this.#logger.info(fields, message);
  }

  warn(message: string, fields: Fields = {}): void {
    this.#logger.warn(fields, message);
  }

  error(message: string, fields: Fields = {}): void {
    this.#logger.error(fields, message);
  }
}

/** The same facts for people: the time of day, the message, and the fields behind it. */
function readable(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = error && typeof error === 'object' && 'stack' in error ? `\n${error.stack}` : '';
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg, ...shown].join('  ')}${stack}\n`;
}
