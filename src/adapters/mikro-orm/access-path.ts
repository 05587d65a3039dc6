import { compareText } from '../../domain/text.ts';
import type { Condition, Dialect, TextQuery } from './dialect.ts';
import type { ReadSession } from './session.ts';
import type { TableName } from './tables.ts';

/** SQLite uses the value of a bare `limit ?` in its plan and therefore prepares the statement again at every run; with an expression it does not. */
export const LIMIT = 'limit ? + 0';

/** How a list reads a table: by which index, and in which ranges of it. */
export interface AccessPath {
  /** The index to use, or `undefined` for the table itself. */
  readonly index: string | undefined;
  /**
   * Conditions of which exactly one holds for each matching row. Each is one range of the index; the ranges are read
   * separately and merged. If absent, the path is a single range.
   */
  readonly branches?: readonly Condition[] | undefined;
  /** A range of values of one column. In a list that is sorted by that column, a page begins and ends within it. */
  readonly range?: Range | undefined;
  /** What every row must match besides. */
  readonly conditions: readonly Condition[];
}

/** The values of a column from `least` to those below `below`. */
export interface Range {
  readonly column: string;
  readonly least?: string | number | undefined;
  readonly below?: string | number | undefined;
}

/** Counts the rows of the path, and stops at `most`. */
export async function countRows(
  session: ReadSession,
  table: TableName,
  path: AccessPath,
  most?: number,
): Promise<number> {
  return (await session.rows(countQuery(session.dialect, table, path, most)))[0]?.n ?? 0;
}

export function countQuery(
  dialect: Dialect,
  table: TableName,
  path: AccessPath,
  most?: number,
): TextQuery<{ readonly n: number }> {
  const from = `from ${table}${dialect.indexHint(path.index)}`;
  const ranges = rangesOf(path);
  if (ranges.length === 0) return { sql: 'select 0 as n', values: [] };
  const matches = ranges.map((range) => `select 1 as one ${from}${whereClause(range)}`).join(' union all ');
  const bounded = most === undefined ? matches : `${matches} ${LIMIT}`;
  const values = [...ranges.flatMap(valuesOf), ...(most === undefined ? [] : [most])];
  return { sql: `select count(*) as n from (${bounded}) as matches`, values };
}

/** The ranges of an index that a path reads, beginning with those of its bounds in each branch. */
export function rangesOf({ branches, range, conditions }: AccessPath, bounds = [boundsOf(range)]): Condition[][] {
  if (range && isEmpty(range)) return [];
  const all = branches?.map((branch) => [branch]) ?? [[]];
  return all.flatMap((branch) => bounds.map((bound) => [...branch, ...bound, ...conditions]));
}

function isEmpty({ least, below }: Range): boolean {
  return least !== undefined && below !== undefined && compareKeys(least, below) >= 0;
}

export function compareKeys(a: string | number, b: string | number): number {
  return typeof a === 'string' ? compareText(a, String(b)) : a - Number(b);
}

/** One condition for all ranges of a path. */
export function anyOf(ranges: readonly Condition[][]): Condition {
  const alternatives = ranges.map((range) => range.map(({ sql }) => sql).join(' and '));
  return { sql: `(${alternatives.join(' or ')})`, values: ranges.flatMap(valuesOf) };
}

export function boundsOf(range: Range | undefined): Condition[] {
  const { column, least, below } = range ?? {};
  return [
    ...(least === undefined ? [] : [{ sql: `${column} >= ?`, values: [least] }]),
    ...(below === undefined ? [] : [{ sql: `${column} < ?`, values: [below] }]),
  ];
}

export function whereClause(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.map(({ sql }) => sql).join(' and ')}`;
}

export function valuesOf(conditions: readonly Condition[]): unknown[] {
  return conditions.flatMap(({ values }) => values);
}
