import type { Page, PageRequest, Sort } from '../application/ports/reader.ts';
import type { Call, QueryParameters } from './operation.ts';
import type { ApiResponse } from './response.ts';
import { LARGEST_PAGE } from './schemas/schema-values.ts';
import type { Schema } from './validation.ts';

const DEFAULT_LIMIT = 20;

/** The service does not count beyond this number: counting would cost as much as the list is long. */
export const LARGEST_TOTAL = 100_000;

/** The parameters that every list has beside its filters. */
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

/** The field of a sort as it is spoken: `-name` is by `name`, descending. */
type FieldOf<SortValue extends string> = SortValue extends `-${infer Field}` ? Field : SortValue;

interface List<SortValue extends string, Row> {
  /** What the list is: with its filters and sort, what a cursor must not be used with another of. */
  readonly of: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: SortValue;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  read(page: PageRequest<Sort<FieldOf<SortValue>>>): Promise<Page<Row>>;
  /** Counts up to `most`. */
  count(most: number): Promise<number>;
  toJson(row: Row): unknown;
}

/** Returns a page of a list: the bare array, and how to go on. */
export async function pageResponse<SortValue extends string, Row>(
  { cursors, wantsTotal }: Call,
  list: List<SortValue, Row>,
): Promise<ApiResponse> {
  const { of, filter, sort, cursor, limit = DEFAULT_LIMIT } = list;
  const name = JSON.stringify([of, sort, filter]);
  const after = cursor === undefined ? undefined : cursors.open(cursor, name, sort);

  const { rows, next } = await list.read({ sort: sortOf(sort), limit, after });
  return {
    body: rows.map(list.toJson),
    page: { next: next && cursors.make(next, name), total: wantsTotal ? await totalOf(list) : undefined },
  };
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
