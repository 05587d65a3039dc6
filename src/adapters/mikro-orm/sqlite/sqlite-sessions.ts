import type { Dialect, Identified, ReadSession, WriteSession } from '../session.ts';
import type { PreparedStatements } from './sqlite-database.ts';
import { asStorageError, sqliteCode } from './sqlite-errors.ts';

const LAST_ID = 'select seq from sqlite_sequence where name = ?';
const WAS_USED = "select 1 from sqlite_sequence where name in ('categories', 'pets', 'orders') and seq > 0";

const DIALECT: Dialect = {
  // Told which index to take, it plans without statistics, which an embedded file never gets.
  along: (index) => (index === undefined ? ' not indexed' : ` indexed by ${index}`),
  isOneOf: (column, values) => ({
    sql: `${column} in (select value from json_each(?))`,
    values: [JSON.stringify(values)],
  }),
};

/** A connection that sees what is committed. */
export class SqliteReadSession implements ReadSession {
  readonly dialect = DIALECT;
  readonly #statements: PreparedStatements;

  constructor(statements: PreparedStatements) {
    this.#statements = statements;
  }

  one<Row>(sql: string, ...values: readonly unknown[]): Row | undefined {
    try {
      return this.#statements.get(sql).get(...values) as Row | undefined;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  all<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    try {
      return this.#statements.get(sql).all(...values) as Row[];
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

/** The writing connection, lent to one unit of work. Whoever has it has the file's one write lock, and so locks no rows. */
export class SqliteWriteSession implements WriteSession {
  readonly forUpdate = '';
  readonly forKeyShare = '';
  readonly writesIndexes = 'that it names';
  readonly #statements: PreparedStatements;
  readonly #lastIds = new Map<Identified, number>();
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

  run(sql: string, ...values: readonly unknown[]): number {
    this.#mustLast();
    try {
      return this.#statements.get(sql).run(...values).changes;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** SQLite's own sequence moves when the row is kept; until then this session counts on from it. */
  nextId(table: Identified): number {
    const last = this.#lastIds.get(table) ?? this.one<{ seq: number }>(LAST_ID, table)?.seq ?? 0;
    this.#lastIds.set(table, last + 1);
    return last + 1;
  }

  send(sql: string, ...values: readonly unknown[]): void {
    this.run(sql, ...values);
  }

  add(_table: Identified, sql: string, id: number, ...values: readonly unknown[]): void {
    this.run(sql, id, ...values);
  }

  isUntouched(): boolean {
    return this.one(WAS_USED) === undefined;
  }

  isNameTaken(error: unknown): boolean {
    return sqliteCode(error) === 'SQLITE_CONSTRAINT_UNIQUE';
  }

  #mustLast(): void {
    if (this.#ended) throw new Error('This unit of work has ended: its scope is of no use any more.');
  }
}
