import type { Dialect, TextQuery } from '../dialect.ts';
import type { ReadSession, TableSearch, WriteSession } from '../session.ts';
import type { Command, Query } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import type { SearchThread } from './search-thread.ts';
import type { PreparedStatements } from './sqlite-database.ts';
import { sqliteCode } from './sqlite-errors.ts';
import { SearchInWindows } from './table-search.ts';

const LAST_ID = 'select seq from sqlite_sequence where name = ?';

export const SQLITE: Dialect = {
  locksRows: false,
  writesIndexes: 'that it names',
  // With the index given, the plan needs no statistics, which an embedded file does not have.
  indexHint: (index) => (index === undefined ? ' not indexed' : ` indexed by ${index}`),
  isOneOf: (column, values) => ({
    sql: `${column} in (select value from json_each(?))`,
    values: [JSON.stringify(values)],
  }),
};

/** A connection that sees committed data only. */
export class SqliteReadSession implements ReadSession {
  readonly dialect = SQLITE;
  readonly #statements: PreparedStatements;
  readonly #searches: SearchThread | undefined;

  /** Without a thread, long searches take turns with everything else on the event loop. */
  constructor(statements: PreparedStatements, searches?: SearchThread) {
    this.#statements = statements;
    this.#searches = searches;
  }

  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Row | undefined {
    return this.#statements.get(query).one(values) as Row | undefined;
  }

  all<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Row[] {
    return this.#statements.get(query).all(values) as Row[];
  }

  rows<Row>({ sql, values }: TextQuery<Row>): Row[] {
    return this.#statements.text(sql).all(values) as Row[];
  }

  readonly search = async <Row>(search: TableSearch<Row>): Promise<Row[]> => {
    const windows = new SearchInWindows(search, (sql, values) => this.#statements.text(sql).all(values));
    // Most searches end within the first window.
    if (!windows.next() && this.#searches) return (await this.#searches.run(search)) as Row[];
    while (!windows.next()) await new Promise((turn) => setImmediate(turn));
    return windows.rows as Row[];
  };
}

/** The write connection during one unit of work. It holds the write lock of the file, so it locks no rows. */
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
    return this.#statements.get(query).one(values) as Row | undefined;
  }

  run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): number {
    this.#assertNotEnded();
    return this.#statements.get(command).run(values);
  }

  send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): void {
    this.run(command, values);
  }

  /** SQLite's sequence advances when the row is inserted; until then this session counts from it. */
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
    const row = this.#statements.text(LAST_ID).one([table]) as { readonly seq: number } | undefined;
    return row?.seq ?? 0;
  }

  #assertNotEnded(): void {
    if (this.#ended) throw new Error('This unit of work has ended; its scope can no longer be used.');
  }
}
