import type { Cursors } from '../../../api/cursors.ts';
import { type Call, isRepeatable, type Operation, type QueryParameters } from '../../../api/operation.ts';
import { compile, type SchemaCompiler, validBody } from '../../../api/validation.ts';
import { LARGEST_ID } from '../../../domain/limits.ts';
import type { Scope } from '../../../domain/scope.ts';
import { idempotencyKeyOf } from '../request/idempotency-key.ts';
import { tagCondition } from '../request/preconditions.ts';
import { invalidParameter, invalidParameters, queryReader, type ReadQuery } from '../request/query.ts';
import type { PageAddress } from '../response/rendering.ts';
import type { HttpSettings } from '../settings.ts';
import { bodyReader } from './body-reader.ts';
import type { Exchange } from './exchange.ts';
import { authorize } from './http-access.ts';
import type { LoadShedder } from './load-shedder.ts';

/** The request as the path index matched it. */
export interface Routed {
  /** The path as it was received, with the base path. */
  readonly path: string;
  /** The query string without its question mark. */
  readonly query: string;
  /** The path's parameters, percent-decoded. */
  readonly ids: Readonly<Record<string, string>>;
}

/** A request, read and validated. */
export interface Input {
  /** The input of the handler, without the options of a change. */
  readonly call: Omit<Call, 'options'>;
  /** The location of a page of a list. */
  readonly self: PageAddress;
  /** Whether `If-Match` and `If-None-Match` allow a change of a representation with this entity tag. */
  readonly allowsTag: ((tag: string) => boolean) | undefined;
  /** The Idempotency-Key, with the path in its canonical form and the body as it was received. */
  readonly retry: { readonly key: string; readonly path: string; readonly body: unknown } | undefined;
}

export interface InputParts {
  readonly settings: HttpSettings;
  readonly load: LoadShedder;
  readonly cursors: Cursors;
  readonly schemas: SchemaCompiler;
}

/**
 * Returns a function that reads the requests of an operation, in the documented order. It returns a promise only if it waits for a
 * body.
 */
export function inputReader(
  operation: Operation,
  { settings: { publicUrl, limits }, load, cursors, schemas }: InputParts,
): (exchange: Exchange, routed: Routed) => Input | Promise<Input> {
  const readQuery = queryReader(operation.query ?? {}, schemas);
  const scopesOf = scopesOfValues(operation.query ?? {});
  const readBody = operation.body && bodyReader(operation, operation.body.large ? limits.batchBody : limits.body, load);
  const validate = compile(operation.body?.schema ?? {}, schemas);
  const isSafe = operation.method === 'get';
  const mayBeRepeated = isRepeatable(operation);

  return (exchange, { path, query, ids }) => {
    const key = mayBeRepeated ? idempotencyKeyOf(exchange.request) : undefined;
    const { values, withoutStart } = readQuery(query);
    for (const needed of scopesOf(values)) authorize(exchange, needed);
    const readableIds = readIds(ids);
    const allowsTag = isSafe ? undefined : tagCondition(exchange.request);
    const inputOf = (given: unknown): Input => ({
      call: {
        path: readableIds,
        query: values,
        cursors,
        wantsTotal: operation.paged === true && prefersTotal(exchange),
        body: readBody && validBody(validate, given),
      },
      self: { path: publicUrl + path, query: withoutStart },
      allowsTag,
      retry: key === undefined ? undefined : { key, path: pathOf(operation, readableIds), body: given },
    });
    if (!readBody) return inputOf(undefined);
    return readBody(exchange).then((given) => {
      const input = inputOf(given);
      load.shedIfOverloaded();
      return input;
    });
  };
}

/** Returns a function that returns the additional scopes that the values of a query require. */
function scopesOfValues(query: QueryParameters): (values: ReadQuery['values']) => readonly Scope[] {
  const scoped = Object.entries(query).flatMap(([name, { scopes }]) =>
    Object.entries(scopes ?? {}).map(([value, scope]) => ({ name, value, scope })),
  );
  return (values) =>
    scoped.filter(({ name, value }) => [values[name]].flat().includes(value)).map(({ scope }) => scope);
}

function pathOf({ path }: Operation, ids: Readonly<Record<string, number>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
}

const ID = /^[1-9]\d{0,15}$/;
const NO_IDS = {};

function readIds(ids: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  let read: Record<string, number> | undefined;
  for (const name in ids) {
    const text = ids[name] as string;
    const id = ID.test(text) ? Number(text) : Number.NaN;
    if (!(id <= LARGEST_ID)) {
      throw invalidParameters([
        invalidParameter(
          name,
          `must be a whole number from 1 to ${LARGEST_ID}, not ${JSON.stringify(text.slice(0, 40))}`,
        ),
      ]);
    }
    read ??= {};
    read[name] = id;
  }
  return read ?? NO_IDS;
}

function prefersTotal({ request }: Exchange): boolean {
  const { prefer } = request.headers;
  return prefer !== undefined && /(?:^|[,\s])return\s*=\s*"?total-count"?(?=$|[;,\s])/i.test(String(prefer));
}
