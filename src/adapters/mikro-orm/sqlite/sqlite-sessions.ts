import type { Dialect, ReadSession, TextQuery, WriteSession } from '../session.ts';
import type { Command, Query } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import type { PreparedStatements } from './sqlite-database.ts';
import { asStorageError, sqliteCode } from './sqlite-errors.ts';

const LAST_ID = 'select seq from sqlite_sequence where name = ?';

export const SQLITE: Dialect = {
  locksRows: false,
  writesIndexes: 'that it names',
  // Told which index to take, it plans without statistics, which an embedded file never gets.
  indexHint: (index) => (index === undefined ? ' not indexed' : ` indexed by ${index}`),
  isOneOf: (column, values) => ({
    sql: `${column} in (select value from json_each(?))`,
    values: [JSON.stringify(values)],
  }),
};

/** A connection that sees what is committed. */
export class SqliteReadSession implements ReadSession {
  readonly dialect = SQLITE;
  readonly #statements: PreparedStatements;

  constructor(statements: PreparedStatements) {
    this.#statements = statements;
  }

  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Row | undefined {
    try {
      return this.#statements.get(query).one(values) as Row | undefined;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  all<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Row[] {
    try {
      return this.#statements.get(query).all(values) as Row[];
    } catch (error) {
      throw asStorageError(error);
    }
  }

  rows<Row>({ sql, values }: TextQuery<Row>): Row[] {
    try {
      return this.#statements.text(sql).all(...values) as Row[];
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

/** The writing connection, lent to one unit of work, which has the file's one write lock and so locks no rows. */
export class SqliteWriteSession implements WriteSession {
  readonly dialect = SQLITE;
  readonly #statements: PreparedStatements;
  readonly #lastIds = new Map<TableWithId, number>();
  #ended = false;

  constructor(statements: PreparedStatements) {
    this.#statements = statements;
  }

  end(): void {
    this.#ended = true;
  }

  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Row | undefined {
    this.#assertNotEnded();
    try {
      return this.#statements.get(query).one(values) as Row | undefined;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): number {
    this.#assertNotEnded();
    try {
      return this.#statements.get(command).run(values);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): void {
    this.run(command, values);
  }

  /** SQLite's own sequence moves when the row is stored; until then this session counts on from it. */
  nextId(table: TableWithId): number {
    this.#assertNotEnded();
    const id = (this.#lastIds.get(table) ?? this.#lastIdOf(table)) + 1;
    this.#lastIds.set(table, id);
    return id;
  }

  add<Values extends { readonly id: number }>(
    _table: TableWithId,
    insert: Command<Values>,
    values: NoInfer<Values>,
  ): void {
    this.run(insert, values);
  }

  isNameTaken(error: unknown): boolean {
    return sqliteCode(error) === 'SQLITE_CONSTRAINT_UNIQUE';
  }

  #lastIdOf(table: TableWithId): number {
    try {
      const row = this.#statements.text(LAST_ID).get(table) as { readonly seq: number } | undefined;
      return row?.seq ?? 0;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  #assertNotEnded(): void {
    if (this.#ended) throw new Error('This unit of work has ended: its scope is of no use any more.');
  }
}
