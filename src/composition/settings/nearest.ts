import { closest, distance } from 'fastest-levenshtein';

const MAX_TYPOS = 3;

/** The candidate that a text was most likely meant to be; `undefined` if none is near. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const best = closest(text, candidates);
  // A short text is near to every other one of a few letters.
  return distance(text, best) <= Math.min(MAX_TYPOS, Math.floor(text.length / 2)) ? best || undefined : undefined;
}
