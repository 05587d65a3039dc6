import type { Page, PageRequest, Position } from '../../application/ports/reader.ts';
import type { PreparedStatements } from './sqlite-database.ts';

/** A piece of SQL that must hold, and the values that it takes. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A way into a table that gives its rows in the wanted order without sorting or skipping more than it must. */
export interface Path {
  /** The index to go along, or `undefined` for the table itself. */
  readonly index: string | undefined;
  /**
   * Conditions of which exactly one holds for each wanted row: one range of the index each, read separately and merged.
   * Left out, the path is a single range.
   */
  readonly branches?: readonly Condition[];
}

/** The columns of a row, as a select list, and as the names that the row has. */
export interface Columns {
  readonly selected: string;
  readonly names: string;
}

/** From the names that a row shall have to the columns that they come from. */
export function columnsOf(columns: Readonly<Record<string, string>>): Columns {
  const selected = Object.entries(columns).map(([name, column]) => `${column} as "${name}"`);
  const names = Object.keys(columns).map((name) => `"${name}"`);
  return { selected: selected.join(', '), names: names.join(', ') };
}

/** What a list is read from, and how its rows are ordered. */
export interface Listing {
  readonly table: string;
  readonly columns: Columns;
  /** The column that is sorted by; `id` alone when it is the identifier. */
  readonly sortedBy: string;
  readonly descending: boolean;
}

const IDENTIFIER = 'id';

/** SQLite plans by the value of a bare `limit ?`, and so prepares the statement anew at every run; a sum it does not look into. */
const LIMIT = 'limit ? + 0';

/**
 * Keyset paging: rows strictly after a position, in the order of the sorted column and the identifier, as many as asked
 * for and one more, which tells whether there is a next page. Nothing is counted and nothing skipped.
 */
export function readRows<Row>(
  statements: PreparedStatements,
  { table, columns, sortedBy, descending }: Listing,
  path: Path,
  conditions: readonly Condition[],
  { limit, after }: { readonly limit: number; readonly after: Position | undefined },
): Row[] {
  const direction = descending ? ' desc' : '';
  const order =
    sortedBy === IDENTIFIER ? `${IDENTIFIER}${direction}` : `${sortedBy}${direction}, ${IDENTIFIER}${direction}`;
  const from = `from ${table} ${path.index ? `indexed by ${path.index}` : 'not indexed'}`;

  const branches = path.branches?.map((branch) => [branch]) ?? [[]];
  const beginnings = after ? follows(sortedBy, descending, after) : [[]];
  // The beginning goes before the filter: of two bounds on one column SQLite takes the one that is written first.
  const ranges = branches.flatMap((branch) => beginnings.map((begin) => [...branch, ...begin, ...conditions]));
  if (ranges.length === 0) return [];
  if (ranges.length === 1) {
    const [range = []] = ranges;
    const sql = `select ${columns.selected} ${from}${whereClause(range)} order by ${order} ${LIMIT}`;
    return statements.get(sql).all(...valuesOf(range), limit) as Row[];
  }

  const parts = ranges.map(
    (range) =>
      `select * from (select ${columns.selected}, ${sortedBy} as sort_key, ${IDENTIFIER} as sort_id ${from}${whereClause(range)} order by ${order} ${LIMIT})`,
  );
  const sql = `select ${columns.names} from (${parts.join(' union all ')}) order by sort_key${direction}, sort_id${direction} ${LIMIT}`;
  return statements.get(sql).all(...ranges.flatMap((range) => [...valuesOf(range), limit]), limit) as Row[];
}

/** The page that the rows make, when one more of them was read than the page may hold. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit }: PageRequest<string>,
  positionOf: (row: Row) => Position,
): Page<Row> {
  if (rows.length <= limit) return { rows };
  return { rows: rows.slice(0, limit), next: positionOf(rows[limit - 1] as Row) };
}

/** The same page, with what the rows stand for. */
export function showPage<Row, View>({ rows, ...page }: Page<Row>, show: (row: Row) => View): Page<View> {
  return { ...page, rows: rows.map(show) };
}

export function countRows(
  statements: PreparedStatements,
  table: string,
  conditions: readonly Condition[],
  index?: string,
): number {
  const sql = `select count(*) as n from ${table}${index ? ` indexed by ${index}` : ''}${whereClause(conditions)}`;
  return (statements.get(sql).get(...valuesOf(conditions)) as { n: number }).n;
}

function whereClause(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.map(({ sql }) => sql).join(' and ')}`;
}

function valuesOf(conditions: readonly Condition[]): unknown[] {
  return conditions.flatMap(({ values }) => values);
}

/** Numbers of any count as one value, so that the text of the statement stays the same. */
export function isOneOf(column: string, values: readonly (string | number)[]): Condition {
  return { sql: `${column} in (select value from json_each(?))`, values: [JSON.stringify(values)] };
}

/** The texts that begin with `prefix`, as a range of the binary order. */
export function beginsWith(column: string, prefix: string): Condition {
  const end = successor(prefix);
  return end === undefined
    ? { sql: `${column} >= ?`, values: [prefix] }
    : { sql: `${column} >= ? and ${column} < ?`, values: [prefix, end] };
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

/**
 * What lies beyond a position, as ranges of an index: the rest of the rows with its key, and the rows with keys beyond it.
 * One comparison of both at once would have SQLite begin at the first row with the key, however many there are.
 */
function follows(sortedBy: string, descending: boolean, { key, id }: Position): Condition[][] {
  const beyond = descending ? '<' : '>';
  const byIdentifier = { sql: `${IDENTIFIER} ${beyond} ?`, values: [id] };
  if (sortedBy === IDENTIFIER) return [[byIdentifier]];
  return [
    [{ sql: `${sortedBy} = ?`, values: [key] }, byIdentifier],
    [{ sql: `${sortedBy} ${beyond} ?`, values: [key] }],
  ];
}
