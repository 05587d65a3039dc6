import type { Page, PageRequest, Sort } from '../application/ports/reader.ts';
import type { Call, QueryParameters } from './operation.ts';
import { LARGEST_PAGE } from './schemas/schema-values.ts';
import type { Schema } from './validation.ts';

export const DEFAULT_LIMIT = 20;

/** The service does not count beyond this number: counting would cost as much as the list is long. */
export const LARGEST_TOTAL = 100_000;

/** The parameters of every list beside its filters. */
export function pageParameters<const Sort extends Schema>(sort: Sort) {
  return {
    sort: {
      description: 'The field to sort by; `-` in front of it reverses the order. Ties are broken by id.',
      schema: sort,
    },
    ...cursorParameters,
  } as const;
}

export const cursorParameters = {
  limit: {
    description: 'The maximum number of items on the page.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LARGEST_PAGE, default: DEFAULT_LIMIT },
  },
  cursor: {
    description:
      'Where the page begins. Follow the link with `rel="next"` of the previous page; a cursor is valid for the same sort and filters only.',
    schema: { type: 'string', minLength: 1, maxLength: 5000, pattern: '^[\\w-]+\\.[\\w-]{16}$' },
  },
} as const satisfies QueryParameters;

/** The field of a sort parameter: `-name` is by `name`, descending. */
type FieldOf<SortValue extends string> = SortValue extends `-${infer Field}` ? Field : SortValue;

interface List<SortValue extends string, Row> {
  /** The name of the list. A cursor is valid for one list with the same filter and sort. */
  readonly of: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: SortValue;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  read(page: PageRequest<Sort<FieldOf<SortValue>>>): Promise<Page<Row>>;
  /** Counts up to `most`. */
  count(most: number): Promise<number>;
}

export interface PageResponse<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; none on the last one. */
  readonly next: string | undefined;
  /** The number of items in the whole list, if the client wants it. */
  readonly total: number | undefined;
}

/** Reads the requested page of a list. */
export async function pageResponse<SortValue extends string, Row>(
  { cursors, wantsTotal }: Pick<Call, 'cursors' | 'wantsTotal'>,
  list: List<SortValue, Row>,
): Promise<PageResponse<Row>> {
  const { of, filter, sort, cursor, limit = DEFAULT_LIMIT } = list;
  const name = JSON.stringify([of, sort, filter]);
  const after = cursor === undefined ? undefined : cursors.open(cursor, name, sort);

  const { rows, next } = await list.read({ sort: sortOf(sort), limit, after });
  return { rows, next: next && cursors.make(next, name), total: wantsTotal ? await totalOf(list) : undefined };
}

/** `undefined` if the list is too long to be counted: RFC 7240 allows a server to ignore a preference. */
async function totalOf({ count }: { count(most: number): Promise<number> }): Promise<number | undefined> {
  const total = await count(LARGEST_TOTAL + 1);
  return total > LARGEST_TOTAL ? undefined : total;
}

function sortOf<SortValue extends string>(sort: SortValue): Sort<FieldOf<SortValue>> {
  const descending = sort.startsWith('-');
  return { by: (descending ? sort.slice(1) : sort) as FieldOf<SortValue>, descending };
}
