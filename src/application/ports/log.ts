import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Keeps what operators need to know. Fields are plain values; no secret and no body ever goes in. */
abstract class LogPort {
  abstract debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  abstract info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  abstract warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** An `error` field is written with its stack and its causes. */
  abstract error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export type Log = LogPort;
export const Log = sharedByCopies('Log', LogPort);
