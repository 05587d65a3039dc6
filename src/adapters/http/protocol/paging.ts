import { hash } from 'node:crypto';
import type { Page, PageRequest, Position, Sort } from '../../../application/ports/reader.ts';
import { badParameter } from '../http-error.ts';
import type { Call, QueryParameters } from '../operation.ts';
import { LARGEST_PAGE } from '../schema-values.ts';
import { type Answer, ok } from './message.ts';
import type { Schema } from './validation.ts';

const DEFAULT_LIMIT = 20;

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
type FieldOf<Spoken extends string> = Spoken extends `-${infer Field}` ? Field : Spoken;

interface List<Spoken extends string, Row> {
  /** What the list is: with its filters and sort, what a cursor must not be used with another of. */
  readonly of: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: Spoken;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  read(page: PageRequest<Sort<FieldOf<Spoken>>>): Promise<Page<Row>>;
  count(): Promise<number>;
  show(row: Row): unknown;
}

/** Answers with a page of a list: the bare array, and the ways on as links (RFC 8288). */
export async function listed<Spoken extends string, Row>(call: Call, list: List<Spoken, Row>): Promise<Answer> {
  const { self, wantsTotal } = call;
  const { sort, cursor, limit = DEFAULT_LIMIT } = list;
  const seal = sealOf(list);
  const after = cursor === undefined ? undefined : openCursor(cursor, seal, sort);

  const page = await list.read({ sort: sortOf(sort), limit, after });
  const first = self.query === '' ? self.path : `${self.path}?${self.query}`;
  let link = `<${first}>; rel="first"`;
  if (page.next) {
    const next = makeCursor(page.next, seal);
    link += `, <${first}${self.query === '' ? '?' : '&'}cursor=${next}>; rel="next"`;
  }
  const headers = wantsTotal
    ? ['Link', link, 'X-Total-Count', String(await list.count()), 'Preference-Applied', 'return=total-count']
    : ['Link', link];
  return { ...ok(page.rows.map(list.show), headers), taggedWith: link };
}

function sortOf<Spoken extends string>(sort: Spoken): Sort<FieldOf<Spoken>> {
  const descending = sort.startsWith('-');
  return { by: (descending ? sort.slice(1) : sort) as FieldOf<Spoken>, descending };
}

/*
 * A cursor is the position where the page before ended, and a seal over it, the list, its sort and its filters. The seal
 * is a checksum, not a secret: a cursor opens nothing that the list itself does not show. It makes sure that a cursor is
 * used with the list that it was made for, and that nobody's changed or invented one is taken for a place.
 */
function makeCursor({ key, id }: Position, list: string): string {
  const position = Buffer.from(JSON.stringify([key, id])).toString('base64url');
  return `${position}.${sealed(position, list)}`;
}

function openCursor(cursor: string, list: string, sort: string): Position {
  const [text = '', seal] = cursor.split('.');
  const isSealed = cursor === `${text}.${seal}` && seal === sealed(text, list);
  const position = isSealed ? positionIn(text, sort) : undefined;
  if (position) return position;
  const message =
    'The cursor does not belong to this list, sort order and filters: follow the rel="next" link unchanged, or start without a cursor.';
  throw badParameter('invalid_cursor', 'cursor', message);
}

/** Whoever takes the trouble can seal anything. */
function positionIn(text: string, sort: string): Position | undefined {
  try {
    const [key, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const isKey = sort.endsWith('name')
      ? typeof key === 'string' && key.isWellFormed() && !/\p{Cc}/u.test(key)
      : Number.isSafeInteger(key) || (key === null && sort.endsWith('shipDate'));
    return isKey && Number.isSafeInteger(id) ? { key: key as Position['key'], id: id as number } : undefined;
  } catch {
    return undefined;
  }
}

function sealOf({ of, sort, filter }: Pick<List<string, unknown>, 'of' | 'sort' | 'filter'>): string {
  return JSON.stringify([of, sort, filter]);
}

function sealed(position: string, list: string): string {
  return hash('sha256', `${position} ${list}`, 'base64url').slice(0, 16);
}
