import type { PreparedStatements } from './sqlite-database.ts';
import { asStorageError } from './sqlite-errors.ts';

/** What the tables call their identifiers' sequences. */
export type Sequence = 'categories' | 'pets' | 'orders' | 'api_keys';

const LAST_ID = 'select seq from sqlite_sequence where name = ?';

/** The writing connection, lent to one unit of work until that ends. */
export class WriteSession {
  readonly #statements: PreparedStatements;
  readonly #lastIds = new Map<Sequence, number>();
  #ended = false;

  constructor(statements: PreparedStatements) {
    this.#statements = statements;
  }

  end(): void {
    this.#ended = true;
  }

  one<Row>(sql: string, ...values: readonly unknown[]): Row | undefined {
    this.#mustLast();
    try {
      return this.#statements.get(sql).get(...values) as Row | undefined;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** Gives how many rows it changed. */
  run(sql: string, ...values: readonly unknown[]): number {
    this.#mustLast();
    try {
      return this.#statements.get(sql).run(...values).changes;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** SQLite's own sequence moves when the row is kept; until then this session counts on from it. */
  nextId(sequence: Sequence): number {
    const last = this.#lastIds.get(sequence) ?? this.one<{ seq: number }>(LAST_ID, sequence)?.seq ?? 0;
    this.#lastIds.set(sequence, last + 1);
    return last + 1;
  }

  #mustLast(): void {
    if (this.#ended) throw new Error('This unit of work has ended: its scope is of no use any more.');
  }
}
