import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Records events for operators. Fields are plain values; they never contain a secret or a body. */
abstract class LogPort {
  abstract debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  abstract info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  abstract warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** An `error` field is written with its stack and its causes. */
  abstract error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export type Log = LogPort;
export const Log = sharedByCopies('Log', LogPort);
