import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { ChangeOptions } from '../application/change-options.ts';
import type { EventBatch, StoredEvent } from '../application/ports/event-log.ts';
import type { Shop } from '../application/shop.ts';
import type { EventType } from '../domain/events.ts';
import type { Scope } from '../domain/scope.ts';
import type { Cursors } from './cursors.ts';
import type { ErrorCode } from './errors/error-code.ts';
import type { PageResponse } from './paging.ts';
import type { Schema } from './validation.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Tag = 'Pets' | 'Store';
export type Stability = 'beta' | 'experimental';

/** A deprecated operation works until its sunset and is withdrawn from that instant on (RFC 9745, RFC 8594). */
export interface Deprecation {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly since: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly sunset: number;
  /** The path of the operation that replaces it, as a template. */
  readonly successor: string;
}

/** A parameter of the query. A list is given comma-separated or by repeating the parameter. */
export interface QueryParameter {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
  /** Scopes that single values of it need, beside that of the operation. */
  readonly scopes?: Readonly<Record<string, Scope>>;
}

export interface BodySpec {
  readonly description: string;
  readonly schema: Schema;
  /** Whether the limit of a batch holds for it, in place of the common one. */
  readonly large?: true;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: Schema;
  /** What other operations do with this answer, by their names. Which of its fields they take follows from its schema. */
  readonly links?: Readonly<Record<string, string>>;
}

/** A list of events that is also available as a live stream, for clients that prefer `text/event-stream`. */
export interface StreamSpec<Query = never> {
  readonly description: string;
  /** One frame. */
  readonly example: string;
  /** Which events the stream has. A pure function. */
  request(query: Query): EventSelection;
}

export interface EventSelection {
  /** Only events after this position. */
  readonly after?: number | undefined;
  /** Only events of these types; all types if left out. */
  readonly types?: readonly EventType[] | undefined;
}

export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** The values of a query, by its parameters: date-times as milliseconds, lists as arrays, what is not given left out. */
export type QueryOf<Query extends QueryParameters> = {
  readonly [Name in keyof Query]?: ValueOf<Query[Name]['schema']>;
};

type ValueOf<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly type: 'array'; readonly items: infer Item }
    ? readonly ValueOf<Item>[]
    : S extends { readonly type: 'integer' } | { readonly format: 'date-time' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : string;

/** The identifiers that a path template asks for. */
export type IdsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: number } & IdsIn<Rest>
  : unknown;

/** The value of a body, by its schema: fields with a default are present. */
export type BodyOf<BodySchema> = BodySchema extends JSONSchema ? FromSchema<BodySchema> : undefined;

/** A request, read and validated. */
export interface Call<Ids = unknown, Query = unknown, Body = unknown> {
  /** The identifiers in the path. */
  readonly path: Ids;
  readonly query: Query;
  readonly body: Body;
  /** Makes and opens the cursors of lists. */
  readonly cursors: Cursors;
  /** Whether the client wants the number of items in the whole list. */
  readonly wantsTotal: boolean;
  /** For the desk: the time limit, the condition and the idempotency of a change. */
  readonly options: ChangeOptions<unknown>;
}

/**
 * An operation as data: everything that routing, validation, the document and the tests need to know about it, beside its handler
 * and the representation of the result.
 */
export interface Operation extends OperationData {
  handle(call: Call<never, never, never>, shop: Shop): Promise<unknown>;
}

interface OperationData {
  readonly operationId: string;
  readonly method: Method;
  /** With `{petId}` for an identifier. */
  readonly path: string;
  readonly tag: Tag;
  readonly scope: Scope;
  /** Scopes that the caller needs besides. */
  readonly furtherScopes?: readonly Scope[];
  readonly summary: string;
  readonly description: string;
  readonly stability?: Stability;
  readonly deprecation?: Deprecation;
  readonly query?: QueryParameters;
  readonly body?: BodySpec;
  /** Whether it returns a page of a list: `Prefer: return=total-count`, `limit`, `cursor` and `Link` belong to it. */
  readonly paged?: true;
  /** Whether it returns a page of the event log: `Petstore-Event-Position` and `Link` belong to it, and `show` shows an event. */
  readonly feed?: true;
  /** Whether `If-Match` belongs to it; `required`: it is refused without one. */
  readonly conditional?: true | 'required';
  readonly success: 200 | 201 | 202 | 204;
  readonly response: ResponseSpec;
  readonly stream?: StreamSpec;
  /** The codes beside those that its shape implies: what the store refuses. */
  readonly refusals: readonly ErrorCode[];
  /** The JSON value of the result; of each row, where it returns a page. For 204, what `If-Match` compares. A pure function. */
  show(result: never): unknown;
  /** Fields of the JSON object that are neither recorded for retries nor shown again. A pure function. */
  showOnce?(result: never): object;
  /** The path of the interface under which a created resource can be read. A pure function. */
  location?(result: never): string;
}

/** What the data of an operation say about the types of its handler and its result. */
interface Typed<Path extends string, Query extends QueryParameters, BodySchema, Result> {
  readonly path: Path;
  readonly query?: Query;
  readonly body?: BodySpec & { readonly schema: BodySchema };
  show(result: Result): unknown;
  showOnce?(result: Result): object;
  location?(result: Result): string;
}

type TypedCall<Path extends string, Query extends QueryParameters, BodySchema> = Call<
  IdsIn<Path>,
  QueryOf<Query>,
  BodyOf<BodySchema>
>;

/** An operation whose handler gets the identifiers, the query and the body with the types that its data says. */
export function operation<
  Result,
  const Path extends string,
  const Query extends QueryParameters = Record<never, never>,
  const BodySchema = undefined,
>(
  definition: Omit<OperationData, keyof Typed<string, never, unknown, unknown> | 'paged'> &
    Typed<Path, Query, BodySchema, Result> & {
      handle(call: TypedCall<Path, Query, BodySchema>, shop: Shop): Promise<Result>;
    },
): Operation {
  return definition;
}

/** An operation that returns a page of a list. */
export function listOperation<Row, const Path extends string, const Query extends QueryParameters>(
  definition: Omit<
    OperationData,
    keyof Typed<string, never, unknown, unknown> | 'paged' | 'method' | 'success' | 'conditional'
  > &
    Omit<Typed<Path, Query, undefined, Row>, 'body' | 'location' | 'showOnce'> & {
      handle(call: TypedCall<Path, Query, undefined>, shop: Shop): Promise<PageResponse<Row>>;
    },
): Operation {
  return { ...definition, method: 'get', success: 200, paged: true };
}

/** An operation that returns a page of the event log. */
export function feedOperation<const Query extends QueryParameters>(
  definition: Omit<
    OperationData,
    keyof Typed<string, never, unknown, unknown> | 'paged' | 'feed' | 'method' | 'success' | 'conditional' | 'location'
  > &
    Omit<Typed<string, Query, undefined, StoredEvent>, 'body' | 'location'> & {
      handle(call: TypedCall<string, Query, undefined>, shop: Shop): Promise<EventBatch>;
    },
): Operation {
  return { ...definition, method: 'get', success: 200, feed: true };
}

/** Whether a request may carry an Idempotency-Key: what is done again by repeating it, as no PUT and no DELETE is. */
export function isRepeatable({ method }: Operation): boolean {
  return method === 'post' || method === 'patch';
}

/** The same operation, refused without `If-Match` if it changes something that has an entity tag. */
export function requiringIfMatch(operation: Operation): Operation {
  return operation.conditional && operation.method !== 'get' ? { ...operation, conditional: 'required' } : operation;
}

/** Whether the operation is served: unstable ones can be switched off. */
export function isServed({ stability }: Operation, { unstable }: { readonly unstable: boolean }): boolean {
  return unstable || stability === undefined;
}

/** Whether its successful responses have an entity tag: those that are one resource, or a whole list. */
export function hasEntityTag({ method, success, response: answer }: Operation): boolean {
  return (success === 200 && method !== 'post') || (success === 201 && answer.schema?.['type'] === 'object');
}
