import { Log } from '../../application/ports/log.ts';
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';

type Fields = Readonly<Record<string, unknown>>;
type Severity = Exclude<LogLevel, 'silent'>;

/** Writes to the console of a browser, whose tools show and filter the fields. */
export class ConsoleLog extends Log {
  readonly #least: number;

  constructor(level: LogLevel) {
    super();
    this.#least = LOG_LEVELS.indexOf(level);
  }

  debug(message: string, fields?: Fields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#write('error', message, fields);
  }

  #write(severity: Severity, message: string, fields?: Fields): void {
    if (LOG_LEVELS.indexOf(severity) < this.#least) return;
    if (fields) console[severity](message, fields);
    else console[severity](message);
  }
}
