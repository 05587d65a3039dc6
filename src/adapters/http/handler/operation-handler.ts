import type { Cursors } from '../../../api/cursors.ts';
import type { Digest } from '../../../api/digest.ts';
import { type Call, isRepeatable, type Operation, type QueryParameters } from '../../../api/operation.ts';
import type { ApiResponse } from '../../../api/response.ts';
import { LARGEST_ID } from '../../../api/schemas/schema-values.ts';
import { linkBase } from '../../../api/settings.ts';
import { compile, validBody } from '../../../api/validation.ts';
import type { Idempotency } from '../../../application/idempotency.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { UnitOfWork } from '../../../application/ports/unit-of-work.ts';
import type { Shop } from '../../../application/shop.ts';
import { DomainError } from '../../../domain/refusals.ts';
import type { Scope } from '../../../domain/scope.ts';
import { toHttpError, unavailable } from '../http-error.ts';
import { fingerprintOf, idempotencyKeyOf, requestIdOf } from '../request/idempotency-key.ts';
import { ifMatch, ifNoneMatch, tagsIn } from '../request/preconditions.ts';
import { fault, invalidParameters, queryReader, type ReadQuery } from '../request/query.ts';
import { entityTag } from '../response/entity-tags.ts';
import { lifecycleHeaders } from '../response/lifecycle.ts';
import type { Rendered } from '../response/message.ts';
import { responseWriter } from '../response/rendering.ts';
import type { HttpSettings } from '../settings.ts';
import { authorize } from './admission.ts';
import { bodyReader } from './body-reader.ts';
import type { Exchange } from './exchange.ts';
import { GUARDS, type Guarded } from './guards.ts';
import type { Load } from './load.ts';
import type { Readiness } from './readiness.ts';
import type { WorkTime } from './work-time.ts';

/** The request as the router found it. */
export interface Routed {
  /** The path as it was asked for, base path included. */
  readonly path: string;
  /** The query string without its question mark. */
  readonly query: string;
  /** The path's parameters, percent-decoded. */
  readonly ids: Readonly<Record<string, string>>;
}

export type OperationHandler = (exchange: Exchange, routed: Routed) => Promise<void>;

/** What every operation is served with. */
export interface OperationParts {
  readonly settings: HttpSettings;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly shop: Shop;
  readonly unitOfWork: UnitOfWork;
  readonly idempotency: Idempotency;
  readonly workTime: WorkTime;
  readonly load: Load;
  readonly cursors: Cursors;
  readonly digest: Digest;
}

/** Makes an operation's data and handler into what answers its requests. All that can be prepared is prepared once, here. */
export function operationHandler(operation: Operation, parts: OperationParts): OperationHandler {
  const { deprecation, handle, scope } = operation;
  const { settings, clock, readiness, shop, unitOfWork, idempotency, workTime, load, cursors, digest } = parts;
  const { publicUrl, limits } = settings;
  const base = linkBase(settings);
  const marksFor = lifecycleHeaders(operation, base);
  const readQuery = queryReader(operation.query ?? {});
  const scopesOf = scopesOfValues(operation.query ?? {});
  const readBody = operation.body && bodyReader(operation, operation.body.large ? limits.batchBody : limits.body, load);
  const validate = compile(operation.body?.schema ?? {});
  const guarded: Guarded = {
    scope,
    deprecation,
    requiresIfMatch: operation.conditional === 'required',
    base,
    clock,
    readiness,
    load,
  };
  const write = responseWriter(operation, base, digest);
  const isSafe = operation.method === 'get';
  const mayBeRepeated = isRepeatable(operation);
  const timeIsUp = unavailable(
    `The request exceeded the time limit of ${limits.work} ms; nothing was changed. Try again in a moment.`,
  );

  return async (exchange, { path, query, ids }) => {
    const lastId = Object.values(ids).at(-1) ?? '';
    exchange.mark(marksFor(lastId));
    for (const guard of GUARDS) guard.check(exchange, guarded, lastId);

    const key = mayBeRepeated ? idempotencyKeyOf(exchange.request) : undefined;

    const { values, withoutCursor } = readQuery(query);
    for (const needed of scopesOf(values)) authorize(exchange, needed);
    const readableIds = readIds(ids);
    const expectation = isSafe ? noExpectation : expectationOf(exchange);
    const given = readBody && (await readBody(exchange));
    const call = {
      path: readableIds,
      query: values,
      cursors,
      wantsTotal: operation.paged === true && prefersTotal(exchange),
      expectation,
      body: readBody && validBody(validate, given),
    } as Call<never, never, never>;
    if (readBody) load.mustHaveRoom();

    const render = (response: ApiResponse) => write(response, { path: publicUrl + path, query: withoutCursor });
    const work = workTime.begin(() => void exchange.sendError(timeIsUp));
    try {
      if (isSafe) {
        await sendRead(exchange, render(await handle(call, shop)));
        return;
      }
      const limited = work.limit(unitOfWork);
      if (key === undefined) {
        await exchange.sendRendered(render(await handle(call, shop.on(limited))));
        return;
      }
      const request = {
        id: requestIdOf(
          digest,
          authorize(exchange, scope).name,
          `${operation.method} ${pathOf(operation, readableIds)}`,
          key,
        ),
        fingerprint: fingerprintOf(digest, given),
      };
      const deed = {
        act: async (inner: UnitOfWork) => JSON.stringify(render(await handle(call, shop.on(inner)))),
        refusal: (error: unknown) =>
          isConflict(error) ? JSON.stringify(exchange.render(toHttpError(error))) : undefined,
      };
      const { answer, replayed } = await idempotency.once(request, deed, limited);
      await exchange.sendRendered(JSON.parse(answer) as Rendered, replayed ? REPLAYED : undefined);
    } finally {
      workTime.end(work);
    }
  };
}

/** Returns a function that returns the scopes that the values of a query need beside that of the operation. */
function scopesOfValues(query: QueryParameters): (values: ReadQuery['values']) => readonly Scope[] {
  const scoped = Object.entries(query).flatMap(([name, { scopes }]) =>
    Object.entries(scopes ?? {}).map(([value, scope]) => ({ name, value, scope })),
  );
  return (values) =>
    scoped.filter(({ name, value }) => [values[name]].flat().includes(value)).map(({ scope }) => scope);
}

const REPLAYED = ['Idempotent-Replayed', 'true'];

/** What the store refused as it stood; what is refused for any other reason may be sent again as it is. */
function isConflict(error: unknown): boolean {
  return error instanceof DomainError && toHttpError(error).status === 409;
}

function pathOf({ path }: Operation, ids: Readonly<Record<string, number>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
}

function sendRead(exchange: Exchange, rendered: Rendered): void | Promise<void> {
  const { tag, headers, body } = rendered;
  if (tag === undefined || body === undefined) return exchange.sendRendered(rendered);
  return exchange.sendRepresentation({ tag, headers, body });
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
        fault(name, `must be a whole number from 1 to ${LARGEST_ID}, not ${JSON.stringify(text.slice(0, 40))}`),
      ]);
    }
    read ??= {};
    read[name] = id;
  }
  return read ?? NO_IDS;
}

function noExpectation(): undefined {
  return undefined;
}

/** What `If-Match` and `If-None-Match` say about the plain representation before it is changed (RFC 9110, section 13.1). */
function expectationOf({ request, digest }: Exchange): Call['expectation'] {
  const { 'if-match': expected, 'if-none-match': unwanted } = request.headers;
  if (expected === undefined && unwanted === undefined) return noExpectation;
  if (expected !== undefined) tagsIn('If-Match', expected);
  if (unwanted !== undefined) tagsIn('If-None-Match', unwanted);
  return (show) => (view) => {
    const tag = entityTag(digest, JSON.stringify(show(view)));
    return (
      (expected === undefined || ifMatch(expected, tag)) && (unwanted === undefined || !ifNoneMatch(unwanted, tag))
    );
  };
}

function prefersTotal({ request }: Exchange): boolean {
  const { prefer } = request.headers;
  return prefer !== undefined && /(?:^|[,\s])return\s*=\s*"?total-count"?(?=$|[;,\s])/i.test(String(prefer));
}
