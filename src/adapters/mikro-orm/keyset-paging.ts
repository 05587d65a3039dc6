import type { Page, PageBounds, Position } from '../../application/ports/reader.ts';
import {
  type AccessPath,
  anyOf,
  boundsOf,
  compareKeys,
  countQuery,
  countRows,
  LIMIT,
  type Range,
  rangesOf,
  valuesOf,
  whereClause,
} from './access-path.ts';
import type { Condition, TextQuery } from './dialect.ts';
import type { ReadSession } from './session.ts';
import type { Columns } from './table-text.ts';
import type { TableName } from './tables.ts';

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

const IDENTIFIER = 'id';

/** So many matches are sorted in about a millisecond. */
const FEW_MATCHES = 5_000;

/** And so many in about ten, if not on the event loop. */
const SORTABLE_MATCHES = 100_000;

const MOST_ID = Number.MAX_SAFE_INTEGER;

/**
 * Keyset paging: reads the rows after a position, in the order of the sort column and the identifier. It reads one row
 * more than the page holds, which shows whether there is a next page. Nothing is counted and no offset is skipped.
 *
 * `matches`: for a list by identifier whose filter is a range of another column, the path to the matches in no order. Any
 * number of rows may lie between two matches in the order of the list, so it is read as a search.
 */
export async function readRows<Row>(
  session: ReadSession,
  listing: Listing<Row>,
  path: AccessPath,
  page: PageBounds,
  matches?: AccessPath,
): Promise<Row[]> {
  const found = matches ? await searchRows(session, listing, matches, page) : undefined;
  if (found) return found;
  const { table, columns, sortedBy, descending, nullable } = listing;
  const { limit, after } = page;
  const direction = descending ? ' desc' : '';
  const order = orderBy(listing);
  const from = `from ${table}${session.dialect.indexHint(path.index)}`;
  const most = limit + 1;

  const { range } = path;
  const isInOrder = range?.column === sortedBy;
  const start = seekConditions(listing, isInOrder ? range : undefined, after);
  const ranges = rangesOf(isInOrder ? path : { ...path, conditions: [...path.conditions, ...boundsOf(range)] }, start);
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
  const sql = `select ${columns.names} from (${parts.join(' union all ')}) as parts order by ${nullable ? 'sort_key is null, ' : ''}sort_key${direction}, sort_id${direction} ${LIMIT}`;
  return session.rows<Row>({ sql, values: [...ranges.flatMap((range) => [...valuesOf(range), most]), most] });
}

/**
 * Few matches are sorted. Many are found by reading the table in the order of its identifiers, or are sorted after all if
 * they turn out to lie late in it. Returns `undefined` where the database itself does that.
 */
async function searchRows<Row>(
  session: ReadSession,
  listing: Listing<Row>,
  matches: AccessPath,
  { limit, after }: PageBounds,
): Promise<Row[] | undefined> {
  const { table, columns, descending } = listing;
  const most = limit + 1;
  const order = `order by ${orderBy(listing)} ${LIMIT}`;
  const beyond = beyondIdentifier(descending, after?.id ?? (descending ? MOST_ID + 1 : 0));
  const ranges = rangesOf(matches);
  if (ranges.length === 0) return [];
  const from = `from ${table}${session.dialect.indexHint(undefined)}`;
  const indexed = `from ${table}${session.dialect.indexHint(matches.index)}`;
  const found = ranges.map((range) => `select ${IDENTIFIER} ${indexed}${whereClause(range)}`).join(' union all ');
  const page = `select ${IDENTIFIER} from (${found}) as matches where ${beyond.sql} ${order}`;
  const sorted: TextQuery<Row> = {
    sql: `select ${columns.selected} ${from} where ${IDENTIFIER} in (${page}) ${order}`,
    values: [...ranges.flatMap(valuesOf), ...beyond.values, most, most],
  };
  if ((await countRows(session, table, matches, FEW_MATCHES + 1)) <= FEW_MATCHES) return session.rows(sorted);

  const conditions = anyOf(ranges);
  return session.search?.<Row>({
    rows: `select ${columns.selected} ${from} where ${beyond.sql} and ${IDENTIFIER} ${descending ? '>=' : '<='} ? and ${conditions.sql} ${order}`,
    end: `select ${IDENTIFIER} ${from} where ${beyond.sql} order by ${orderBy(listing)} limit 1 offset ? + 0`,
    start: Number(beyond.values[0]),
    last: descending ? 0 : MOST_ID,
    values: conditions.values,
    most,
    count: countQuery(session.dialect, table, matches, SORTABLE_MATCHES + 1),
    sortable: SORTABLE_MATCHES,
    sorted,
  });
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

function orderBy({ sortedBy, descending }: Listing<unknown>): string {
  const direction = descending ? ' desc' : '';
  return sortedBy === IDENTIFIER ? `${IDENTIFIER}${direction}` : `${sortedBy}${direction}, ${IDENTIFIER}${direction}`;
}

/** The bounds of a page: the ranges of an index that hold the rows after the end of the previous page. */
function seekConditions(listing: Listing<unknown>, range: Range | undefined, position?: Position): Condition[][] {
  const { sortedBy, descending, nullable } = listing;
  if (sortedBy === IDENTIFIER) return [position ? [beyondIdentifier(descending, position.id)] : []];
  const hasNulls = nullable && !range;
  const isNull = { sql: `${sortedBy} is null`, values: [] };
  if (position?.key === null) return hasNulls ? [[isNull, beyondIdentifier(descending, position.id)]] : [];
  const values = position ? after(listing, range, position) : [boundsOf(range)];
  return hasNulls ? [...(position ? values : [[{ sql: `${sortedBy} is not null`, values: [] }]]), [isNull]] : values;
}

/**
 * The rows after a position, as ranges of an index: the remaining rows with the same key, and the rows with later keys.
 * With one row-value comparison, SQLite would start at the first row with the key and skip all rows before the position.
 * Of two lower or two upper bounds it would use one only, so a range has at most one of each.
 */
function after(
  { sortedBy, descending }: Listing<unknown>,
  { least, below }: Omit<Range, 'column'> = {},
  { key, id }: Position,
): Condition[][] {
  if (key === null) return [];
  const aboveLeast = least === undefined ? 1 : compareKeys(key, least);
  const belowEnd = below === undefined ? 1 : compareKeys(below, key);
  const ranges: Condition[][] = [];
  if (aboveLeast >= 0 && belowEnd > 0) {
    ranges.push([{ sql: `${sortedBy} = ?`, values: [key] }, beyondIdentifier(descending, id)]);
  }
  const column = sortedBy;
  if (descending) {
    const end = belowEnd > 0 ? key : below;
    if (aboveLeast > 0) ranges.push(boundsOf({ column, least, below: end }));
  } else if (belowEnd > 0) {
    const beyond = { sql: `${sortedBy} > ?`, values: [key] };
    ranges.push(aboveLeast >= 0 ? [beyond, ...boundsOf({ column, below })] : boundsOf({ column, least, below }));
  }
  return ranges;
}

function beyondIdentifier(descending: boolean, id: number): Condition {
  return { sql: `${IDENTIFIER} ${descending ? '<' : '>'} ?`, values: [id] };
}
