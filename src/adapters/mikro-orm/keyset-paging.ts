import type { Page, PageBounds, Position } from '../../application/ports/reader.ts';
import type { Condition, Dialect, TextQuery } from './dialect.ts';
import type { ReadSession } from './session.ts';
import type { RowOf, TableName } from './tables.ts';

/*
 * The statements of lists are text: Kysely cannot express index hints, and a list has as many statements as there are
 * combinations of filter, order and start. Columns and values are still typed by the table.
 */

type Column<Table extends TableName> = keyof RowOf<Table> & string;

/** How a list reads a table: by which index, and in which ranges of it. */
export interface AccessPath {
  /** The index to use, or `undefined` for the table itself. */
  readonly index: string | undefined;
  /**
   * Conditions of which exactly one holds for each matching row. Each is one range of the index; the ranges are read
   * separately and merged. If absent, the path is a single range.
   */
  readonly branches?: readonly Condition[];
}

/** The table and columns of a list, and the order of its rows. */
export interface Listing<Row> {
  readonly table: TableName;
  readonly columns: Columns<Row>;
  /** The sort column; ties are broken by `id`. */
  readonly sortedBy: string;
  readonly descending: boolean;
  /** Whether rows may have no value in the sort column. They come last in both directions, by identifier. */
  readonly nullable?: boolean;
}

/** The columns of a row, as a select list and as the names in the row. */
interface Columns<Row> {
  readonly selected: string;
  readonly names: string;
  readonly '~row'?: Row;
}

const IDENTIFIER = 'id';

/** SQLite uses the value of a bare `limit ?` in its plan and therefore prepares the statement again at every run; with an expression it does not. */
const LIMIT = 'limit ? + 0';

/** Builds SQL fragments for one table from its columns and their values. */
export class TableText<Table extends TableName> {
  readonly name: Table;

  constructor(name: Table) {
    this.name = name;
  }

  /** The columns of a list, by their names in its rows. */
  columns<const Names extends Readonly<Record<string, Column<Table>>>>(
    names: Names,
  ): Columns<{ readonly [Name in keyof Names]: RowOf<Table>[Names[Name]] }> {
    const selected = Object.entries(names).map(([name, property]) => `${columnOf(property)} as "${name}"`);
    return {
      selected: selected.join(', '),
      names: Object.keys(names)
        .map((name) => `"${name}"`)
        .join(', '),
    };
  }

  column(name: Column<Table>): string {
    return columnOf(name);
  }

  compare<Name extends Column<Table>>(
    name: Name,
    operator: '=' | '<' | '>=',
    value: NonNullable<RowOf<Table>[Name]>,
  ): Condition {
    return { sql: `${columnOf(name)} ${operator} ?`, values: [value] };
  }

  isOneOf<Name extends Column<Table>>(
    dialect: Dialect,
    name: Name,
    values: readonly (RowOf<Table>[Name] & (string | number))[],
  ): Condition {
    return dialect.isOneOf(columnOf(name), values);
  }

  /** Matches the texts that begin with `prefix`, as a range of the binary order. */
  beginsWith(name: Column<Table> & 'nameKey', prefix: string): Condition {
    const column = columnOf(name);
    // No name contains U+0000, and PostgreSQL rejects a text that does.
    if (prefix.includes('\0')) return { sql: '1 = 0', values: [] };
    const end = successor(prefix);
    return end === undefined
      ? { sql: `${column} >= ?`, values: [prefix] }
      : { sql: `${column} >= ? and ${column} < ?`, values: [prefix, end] };
  }
}

/** MikroORM's name of the column. */
function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Keyset paging: reads the rows after a position, in the order of the sort column and the identifier. It reads one row
 * more than the page holds, which shows whether there is a next page. Nothing is counted and no offset is skipped.
 */
export async function readRows<Row>(
  session: ReadSession,
  listing: Listing<Row>,
  path: AccessPath,
  conditions: readonly Condition[],
  { limit, after }: PageBounds,
): Promise<Row[]> {
  const { table, columns, sortedBy, descending } = listing;
  const direction = descending ? ' desc' : '';
  const order =
    sortedBy === IDENTIFIER ? `${IDENTIFIER}${direction}` : `${sortedBy}${direction}, ${IDENTIFIER}${direction}`;
  const from = `from ${table}${session.dialect.indexHint(path.index)}`;
  const most = limit + 1;

  const branches = path.branches?.map((branch) => [branch]) ?? [[]];
  const starts = seekConditions(listing, after);
  // The start precedes the filter: of two bounds on one column, SQLite uses the one that is written first.
  const ranges = branches.flatMap((branch) => starts.map((start) => [...branch, ...start, ...conditions]));
  if (ranges.length === 0) return [];
  if (ranges.length === 1) {
    const [range = []] = ranges;
    const sql = `select ${columns.selected} ${from}${whereClause(range)} order by ${order} ${LIMIT}`;
    return session.rows<Row>({ sql, values: [...valuesOf(range), most] });
  }

  const parts = ranges.map(
    (range, i) =>
      `select * from (select ${columns.selected}, ${sortedBy} as sort_key, ${IDENTIFIER} as sort_id ${from}${whereClause(range)} order by ${order} ${LIMIT}) as part_${i}`,
  );
  const sql = `select ${columns.names} from (${parts.join(' union all ')}) as parts order by ${listing.nullable ? 'sort_key is null, ' : ''}sort_key${direction}, sort_id${direction} ${LIMIT}`;
  return session.rows<Row>({ sql, values: [...ranges.flatMap((range) => [...valuesOf(range), most]), most] });
}

/** Makes a page from rows of which one more was read than the page may hold. */
export function pageOf<Row, View>(
  rows: readonly Row[],
  { limit }: PageBounds,
  positionOf: (row: Row) => Position,
  show: (row: Row) => View,
): Page<View> {
  if (rows.length <= limit) return { rows: rows.map(show) };
  return { rows: rows.slice(0, limit).map(show), next: positionOf(rows[limit - 1] as Row) };
}

export async function countRows(
  session: ReadSession,
  table: TableName,
  conditions: readonly Condition[],
  index?: string,
): Promise<number> {
  const hint = index === undefined ? '' : session.dialect.indexHint(index);
  const sql = `select count(*) as n from ${table}${hint}${whereClause(conditions)}`;
  const query: TextQuery<{ readonly n: number }> = { sql, values: valuesOf(conditions) };
  return (await session.rows(query))[0]?.n ?? 0;
}

function whereClause(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.map(({ sql }) => sql).join(' and ')}`;
}

function valuesOf(conditions: readonly Condition[]): unknown[] {
  return conditions.flatMap(({ values }) => values);
}

/** The smallest text that is greater than every text with this prefix; `undefined` if the prefix is only U+10FFFF. */
function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Surrogates are not characters: U+E000 follows U+D7FF.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** The conditions for the rows after the end of the previous page, one set for each range of the index. */
function seekConditions(
  { sortedBy, descending, nullable }: Listing<unknown>,
  position: Position | undefined,
): Condition[][] {
  if (!nullable) return position ? after(sortedBy, descending, position) : [[]];
  const without = { sql: `${sortedBy} is null`, values: [] };
  if (!position) return [[{ sql: `${sortedBy} is not null`, values: [] }], [without]];
  if (position.key === null) return [[without, beyondIdentifier(descending, position.id)]];
  return [...after(sortedBy, descending, position), [without]];
}

/**
 * The rows after a position, as ranges of an index: the remaining rows with the same key, and the rows with later keys.
 * With one row-value comparison, SQLite would start at the first row with the key and skip all rows before the position.
 */
function after(sortedBy: string, descending: boolean, { key, id }: Position): Condition[][] {
  const beyond = descending ? '<' : '>';
  const byIdentifier = beyondIdentifier(descending, id);
  if (sortedBy === IDENTIFIER) return [[byIdentifier]];
  return [
    [{ sql: `${sortedBy} = ?`, values: [key] }, byIdentifier],
    [{ sql: `${sortedBy} ${beyond} ?`, values: [key] }],
  ];
}

function beyondIdentifier(descending: boolean, id: number): Condition {
  return { sql: `${IDENTIFIER} ${descending ? '<' : '>'} ?`, values: [id] };
}
