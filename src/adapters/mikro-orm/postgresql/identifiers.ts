import type { Identified } from '../session.ts';

/**
 * Identifiers that this node took from a sequence for units of work that were undone. No other node can have them, so the
 * next unit of work gets them: a refusal leaves no gap behind. What a node has when it ends is never used.
 */
export class SpareIdentifiers {
  readonly #spare: Record<Identified, number[]> = { categories: [], pets: [], orders: [], api_keys: [] };

  take(table: Identified): number | undefined {
    return this.#spare[table].shift();
  }

  giveBack(table: Identified, ids: Iterable<number>): void {
    this.#spare[table].push(...ids);
    this.#spare[table].sort((a, b) => a - b);
  }

  /** Somebody chose an identifier; those up to it are not used any more. */
  forgetUpTo(table: Identified, id: number): void {
    this.#spare[table] = this.#spare[table].filter((spare) => spare > id);
  }
}
