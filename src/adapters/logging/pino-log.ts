import { type Logger, pino, stdSerializers } from 'pino';
import { Log } from '../../application/ports/log.ts';
import type { LogLevel } from './log-levels.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where lines are written; `isTTY` is set for a terminal. */
interface Output {
  readonly isTTY?: boolean | undefined;
  write(line: string): unknown;
}

/** One JSON object per line on standard output, or readable text on a terminal. */
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
    const inForm = output.isTTY ? readable : escaped;
    this.#logger = pino(options, { write: (line: string) => void output.write(`${inForm(line.trimEnd())}\n`) });
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

/** The same entry for people: the time of day, the message, and its fields. */
function readable(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const first = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg, ...shown].join('  ')}`;
  return [first, ...stackLines(error).map((part) => `  ${part}`)].map(escaped).join('\n');
}

/** The stack of an error as pino wrote it, and the stacks of its causes. */
function stackLines(error: unknown): string[] {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return [];
  const causes = 'cause' in error ? stackLines(error.cause) : [];
  return [...String(error.stack).split('\n'), ...causes.map((line, i) => (i === 0 ? `caused by ${line}` : line))];
}

/**
 * Escapes control and formatting characters, against log injection: a client may have sent the text. In JSON they occur only
 * inside strings, where this is the standard escape.
 */
function escaped(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => inCode(character.charCodeAt(i))).join(''),
  );
}

function inCode(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
