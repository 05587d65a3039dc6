/** The candidate that a text was most likely meant to be; `undefined` if none is near. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let [best, fewest]: [string | undefined, number] = [undefined, Math.min(4, Math.ceil(text.length / 2))];
  for (const candidate of candidates) {
    const edits = editsBetween(text, candidate);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbour (optimal string alignment). */
function editsBetween(text: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= text.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = text[i - 1] === other[j - 1];
      const isSwapped = text[i - 1] === other[j - 2] && text[i - 2] === other[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
