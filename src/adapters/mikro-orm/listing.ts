import type { Page, PageRequest, Position } from '../../application/ports/reader.ts';
import type { Condition, ReadSession } from './session.ts';

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
  /** Whether rows may have no value there: they come last in both directions, by their identifiers. */
  readonly nullable?: boolean;
}

const IDENTIFIER = 'id';

/** SQLite plans by the value of a bare `limit ?`, and so prepares the statement anew at every run; a sum it does not look into. */
const LIMIT = 'limit ? + 0';

/**
 * Keyset paging: rows strictly after a position, in the order of the sorted column and the identifier, as many as asked
 * for and one more, which tells whether there is a next page. Nothing is counted and nothing skipped.
 */
export async function readRows<Row>(
  session: ReadSession,
  listing: Listing,
  path: Path,
  conditions: readonly Condition[],
  { limit, after }: { readonly limit: number; readonly after: Position | undefined },
): Promise<Row[]> {
  const { table, columns, sortedBy, descending } = listing;
  const direction = descending ? ' desc' : '';
  const order =
    sortedBy === IDENTIFIER ? `${IDENTIFIER}${direction}` : `${sortedBy}${direction}, ${IDENTIFIER}${direction}`;
  const from = `from ${table}${session.dialect.along(path.index)}`;

  const branches = path.branches?.map((branch) => [branch]) ?? [[]];
  const beginnings = beginningsOf(listing, after);
  // The beginning goes before the filter: of two bounds on one column SQLite takes the one that is written first.
  const ranges = branches.flatMap((branch) => beginnings.map((begin) => [...branch, ...begin, ...conditions]));
  if (ranges.length === 0) return [];
  if (ranges.length === 1) {
    const [range = []] = ranges;
    const sql = `select ${columns.selected} ${from}${whereClause(range)} order by ${order} ${LIMIT}`;
    return session.all<Row>(sql, ...valuesOf(range), limit);
  }

  const parts = ranges.map(
    (range, i) =>
      `select * from (select ${columns.selected}, ${sortedBy} as sort_key, ${IDENTIFIER} as sort_id ${from}${whereClause(range)} order by ${order} ${LIMIT}) as part_${i}`,
  );
  const sql = `select ${columns.names} from (${parts.join(' union all ')}) as parts order by ${listing.nullable ? 'sort_key is null, ' : ''}sort_key${direction}, sort_id${direction} ${LIMIT}`;
  return session.all<Row>(sql, ...ranges.flatMap((range) => [...valuesOf(range), limit]), limit);
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

export async function countRows(
  session: ReadSession,
  table: string,
  conditions: readonly Condition[],
  index?: string,
): Promise<number> {
  const along = index === undefined ? '' : session.dialect.along(index);
  const sql = `select count(*) as n from ${table}${along}${whereClause(conditions)}`;
  return (await session.one<{ n: number }>(sql, ...valuesOf(conditions)))?.n ?? 0;
}

function whereClause(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.map(({ sql }) => sql).join(' and ')}`;
}

function valuesOf(conditions: readonly Condition[]): unknown[] {
  return conditions.flatMap(({ values }) => values);
}

/** The texts that begin with `prefix`, as a range of the binary order. */
export function beginsWith(column: string, prefix: string): Condition {
  // No name has that character, and PostgreSQL takes none that does.
  if (prefix.includes('\0')) return { sql: '1 = 0', values: [] };
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

/** From where the rows go on: the ranges of an index that lie beyond the place where the page before ended. */
function beginningsOf({ sortedBy, descending, nullable }: Listing, after: Position | undefined): Condition[][] {
  if (!nullable) return after ? follows(sortedBy, descending, after) : [[]];
  const without = { sql: `${sortedBy} is null`, values: [] };
  if (!after) return [[{ sql: `${sortedBy} is not null`, values: [] }], [without]];
  if (after.key === null) return [[without, beyondIdentifier(descending, after.id)]];
  return [...follows(sortedBy, descending, after), [without]];
}

/**
 * What lies beyond a position, as ranges of an index: the rest of the rows with its key, and the rows with keys beyond it.
 * One comparison of both at once would have SQLite begin at the first row with the key, however many there are.
 */
function follows(sortedBy: string, descending: boolean, { key, id }: Position): Condition[][] {
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
