import type { Identified } from '../session.ts';
import type { PostgresqlClient } from './postgresql-pool.ts';

/**
 * Identifiers that were taken from a sequence for units of work that were undone, by the connection that they were taken on. No
 * other node can have them, so the next unit of work on it gets them: a refusal leaves no gap behind. They go with their
 * connection, since a server that crashed, or one that took over, may give them out again.
 */
export class SpareIdentifiers {
  readonly #spare = new WeakMap<PostgresqlClient, Record<Identified, number[]>>();

  take(client: PostgresqlClient, table: Identified): number | undefined {
    return this.#of(client)[table].shift();
  }

  giveBack(client: PostgresqlClient, table: Identified, ids: Iterable<number>): void {
    const spare = this.#of(client);
    spare[table].push(...ids);
    spare[table].sort((a, b) => a - b);
  }

  /** Somebody chose an identifier; those up to it are not used any more. */
  forgetUpTo(client: PostgresqlClient, table: Identified, id: number): void {
    const spare = this.#of(client);
    spare[table] = spare[table].filter((each) => each > id);
  }

  #of(client: PostgresqlClient): Record<Identified, number[]> {
    let spare = this.#spare.get(client);
    if (!spare) this.#spare.set(client, (spare = { categories: [], pets: [], orders: [], api_keys: [] }));
    return spare;
  }
}
