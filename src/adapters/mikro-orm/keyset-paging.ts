import type { Page, PageBounds, Position } from '../../application/ports/reader.ts';
import type { Condition, Dialect, ReadSession, TextQuery } from './session.ts';
import type { RowOf, TableName } from './tables.ts';

/*
 * Lists are text: Kysely has no words for index hints, and a list has as many texts as there are filters, orders and
 * beginnings. Its columns and values have the types of the table all the same.
 */

type Column<Table extends TableName> = keyof RowOf<Table> & string;

/** A way into a table that gives its rows in the wanted order without sorting or skipping more than it must. */
export interface AccessPath {
  /** The index to use, or `undefined` for the table itself. */
  readonly index: string | undefined;
  /**
   * Conditions of which exactly one holds for each wanted row: one range of the index each, read separately and merged.
   * Left out, the path is a single range.
   */
  readonly branches?: readonly Condition[];
}

/** What a list is read from, and how its rows are ordered. */
export interface Listing<Row> {
  readonly table: TableName;
  readonly columns: Columns<Row>;
  /** The column that is sorted by; `id` alone when it is the identifier. */
  readonly sortedBy: string;
  readonly descending: boolean;
  /** Whether rows may have no value there: they come last in both directions, by their identifiers. */
  readonly nullable?: boolean;
}

/** The columns of a row, as a select list, and as the names that the row has. */
interface Columns<Row> {
  readonly selected: string;
  readonly names: string;
  readonly '~row'?: Row;
}

const IDENTIFIER = 'id';

/** SQLite plans by the value of a bare `limit ?`, and so prepares the statement anew at every run; a sum it does not look into. */
const LIMIT = 'limit ? + 0';

/** Writes pieces of SQL on a table, of its columns and of values that they can have. */
export class TableText<Table extends TableName> {
  readonly name: Table;

  constructor(name: Table) {
    this.name = name;
  }

  /** The columns of a list, by the names that they have in its rows. */
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

  /** The texts that begin with `prefix`, as a range of the binary order. */
  beginsWith(name: Column<Table> & 'nameKey', prefix: string): Condition {
    const column = columnOf(name);
    // No name has that character, and PostgreSQL takes none that does.
    if (prefix.includes('\0')) return { sql: '1 = 0', values: [] };
    const end = successor(prefix);
    return end === undefined
      ? { sql: `${column} >= ?`, values: [prefix] }
      : { sql: `${column} >= ? and ${column} < ?`, values: [prefix, end] };
  }
}

/** As MikroORM names it. */
function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Keyset paging: rows strictly after a position, in the order of the sorted column and the identifier, as many as the page
 * holds and one more, which tells whether there is a next page. Nothing is counted and nothing skipped.
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
  // The start goes before the filter: of two bounds on one column SQLite takes the one that is written first.
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

/** The page that the rows make, when one more of them was read than the page may hold. */
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

/** The least text above every text that begins with `prefix`; there is none above U+10FFFF alone. */
function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // The code points of the surrogates are no characters: U+E000 follows U+D7FF.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** From where the rows go on: the ranges of an index that lie beyond the place where the page before ended. */
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
 * What lies after a position, as ranges of an index: the rest of the rows with its key, and the rows with keys beyond it.
 * One comparison of both at once would have SQLite begin at the first row with the key, however many there are.
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
