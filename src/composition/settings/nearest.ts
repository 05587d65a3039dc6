import { closest, distance } from 'fastest-levenshtein';

const MAX_TYPOS = 3;

/** The candidate that is most similar to a text; `undefined` if none is similar. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const best = closest(text, candidates);
  // A short text is similar to every other one of a few letters.
  return distance(text, best) <= Math.min(MAX_TYPOS, Math.floor(text.length / 2)) ? best || undefined : undefined;
}
