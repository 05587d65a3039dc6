import { LARGEST_ID } from '../../../domain/limits.ts';
import { HttpError } from '../http-error.ts';
import type { RequestHead } from './request-head.ts';

const POSITION = /^(?:0|[1-9]\d{0,15})$/;

/**
 * The position after which a client wants to resume a stream; `undefined` if it names none (HTML Standard, section 9.2.4).
 * @throws {HttpError} `invalid_header`
 */
export function lastEventIdOf({ headers }: RequestHead): number | undefined {
  const given = headers['last-event-id'];
  if (given === undefined) return undefined;
  const position = POSITION.test(String(given)) ? Number(given) : Number.NaN;
  if (position <= LARGEST_ID) return position;
  throw new HttpError(
    'invalid_header',
    `Last-Event-ID must be the id of an event, a whole number from 0 to ${LARGEST_ID}, not ${JSON.stringify(String(given).slice(0, 40))}.`,
  );
}
