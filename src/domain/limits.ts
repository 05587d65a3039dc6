import { sharedByCopies } from './shared-by-copies.ts';

/*
 * The limits of the values that the store keeps. Entities enforce them, so that every transport refuses and every storage
 * keeps the same values.
 */

/** Names of pets, categories and API keys have 1 to this many code points. */
export const LONGEST_NAME = 100;
export const LONGEST_DESCRIPTION = 1_000;
/** The address of a webhook has up to this many characters. */
export const LONGEST_URL = 2_000;
/** Units of one pet, on hand or reserved. */
export const MOST_UNITS = 1_000_000_000;
/** Units of one order. */
export const MOST_ORDERED_UNITS = 1_000_000;
/** Identifiers start at 1. The largest is the largest integer that every JSON client represents exactly. */
export const LARGEST_ID = Number.MAX_SAFE_INTEGER;
/** Instants are whole milliseconds since 1970-01-01T00:00:00Z, with a year of four digits in UTC. */
export const EARLIEST_INSTANT = -62_167_219_200_000;
export const LATEST_INSTANT = 253_402_300_799_999;

/** A value is outside of the limits of the store. A transport checks its input first, so this is a mistake of the program. */
class LimitExceededClass extends RangeError {
  override readonly name = 'LimitExceeded';
}

export type LimitExceeded = LimitExceededClass;
export const LimitExceeded = sharedByCopies('LimitExceeded', LimitExceededClass);

/** @throws {LimitExceeded} */
export function assertName(name: string): void {
  assertText('A name', name, 1, LONGEST_NAME);
}

/** @throws {LimitExceeded} */
export function assertDescription(description: string | undefined): void {
  if (description !== undefined) assertText('A description', description, 0, LONGEST_DESCRIPTION);
}

/** @throws {LimitExceeded} */
export function assertUrl(url: string): void {
  assertText('An address', url, 1, LONGEST_URL);
}

/** @throws {LimitExceeded} */
export function assertId(id: number): void {
  assertWhole('An id', id, 1, LARGEST_ID);
}

/** @throws {LimitExceeded} */
export function assertInstant(instant: number | undefined): void {
  if (instant !== undefined) assertWhole('An instant', instant, EARLIEST_INSTANT, LATEST_INSTANT);
}

/** @throws {LimitExceeded} */
export function assertWhole(what: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new LimitExceeded(`${what} must be a whole number from ${least} to ${most}, and was ${value}.`);
}

function assertText(what: string, text: string, least: number, most: number): void {
  // A code point has one or two UTF-16 units: most texts need not be counted.
  const length = text.length > most && text.length <= 2 * most ? Array.from(text).length : text.length;
  if (length < least || length > most) {
    throw new LimitExceeded(`${what} must have ${least} to ${most} characters.`);
  }
  if (/\p{Cc}|\p{Cs}/u.test(text)) {
    throw new LimitExceeded(`${what} must not contain control characters or lone surrogates.`);
  }
}
