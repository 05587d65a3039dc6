import { Log } from '../../src/application/ports/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that records its entries. */
export class RecordingLog extends Log {
  readonly lines: LogLine[] = [];

  debug(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }
}
