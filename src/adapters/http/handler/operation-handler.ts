import type { Cursors } from '../../../api/cursors.ts';
import type { Digest } from '../../../api/digest.ts';
import type { Call, EventSelection, Operation } from '../../../api/operation.ts';
import { linkBase } from '../../../api/settings.ts';
import type { SchemaCompiler } from '../../../api/validation.ts';
import type { IdempotentRequest } from '../../../application/change-options.ts';
import { AlreadyExecuted } from '../../../application/idempotency.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { Shop } from '../../../application/shop.ts';
import { DomainError } from '../../../domain/refusals.ts';
import { toHttpError, unavailable } from '../http-error.ts';
import { fingerprintOf, requestIdOf } from '../request/idempotency-key.ts';
import { lastEventIdOf } from '../request/last-event-id.ts';
import { EventFrames } from '../response/event-frames.ts';
import { lifecycleHeaders } from '../response/lifecycle.ts';
import type { Rendered } from '../response/message.ts';
import { completion, entityTag, resultRenderer } from '../response/rendering.ts';
import type { HttpSettings } from '../settings.ts';
import type { EventStreams } from './event-streams.ts';
import type { Exchange } from './exchange.ts';
import { GUARDS, type Guarded } from './guards.ts';
import { authorize } from './http-access.ts';
import { type Input, inputReader, type Routed } from './input.ts';
import type { LoadShedder } from './load-shedder.ts';
import type { Readiness } from './readiness.ts';
import type { RequestDeadlines } from './request-deadlines.ts';

export type OperationHandler = (exchange: Exchange, routed: Routed) => Promise<void>;

/** What every operation is served with. */
export interface OperationParts {
  readonly settings: HttpSettings;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly shop: Shop;
  readonly deadlines: RequestDeadlines;
  readonly load: LoadShedder;
  readonly streams: EventStreams;
  readonly cursors: Cursors;
  readonly digest: Digest;
  readonly schemas: SchemaCompiler;
}

const REPLAYED = ['Idempotent-Replayed', 'true'];

/** Makes an operation's data and handler into a function that answers its requests. Everything that can be prepared is prepared here, once. */
export function operationHandler(operation: Operation, parts: OperationParts): OperationHandler {
  const { deprecation, scope, furtherScopes = [], stream } = operation;
  const { settings, clock, readiness, shop, deadlines, load, digest, streams } = parts;
  const base = linkBase(settings);
  const lifecycleOf = lifecycleHeaders(operation, base);
  const readInput = inputReader(operation, parts);
  const guarded: Guarded = {
    scopes: [scope, ...furtherScopes],
    deprecation,
    requiresIfMatch: operation.conditional === 'required',
    streams: operation.stream !== undefined,
    base,
    clock,
    readiness,
    load,
  };
  const handle = operation.handle as (call: Call, shop: Shop) => Promise<unknown>;
  const show = operation.show as (result: unknown) => unknown;
  const select = stream?.request as ((query: unknown) => EventSelection) | undefined;
  const frames = new EventFrames(show);
  const render = resultRenderer(operation, base, digest);
  const complete = completion(operation);
  const timeIsUp = unavailable(
    `The request exceeded the time limit of ${settings.limits.operationTime} ms; nothing was changed. Try again in a moment.`,
  );

  /** Nothing handles what this throws. */
  async function expire(exchange: Exchange): Promise<void> {
    try {
      await exchange.sendError(timeIsUp);
    } catch {
      exchange.abandon();
    }
  }

  async function read(exchange: Exchange, { call, self }: Input): Promise<void> {
    const deadline = deadlines.begin(() => void expire(exchange));
    try {
      const rendered = render(await handle({ ...call, options: {} }, shop), self);
      const { tag, headers, body } = rendered;
      if (tag === undefined || body === undefined) await exchange.sendRendered(rendered);
      else await exchange.sendRepresentation({ tag, headers, body });
    } finally {
      deadlines.end(deadline);
    }
  }

  /** Begins a stream; only that counts as a request in flight. */
  async function follow(exchange: Exchange, { call }: Input): Promise<void> {
    const { after, types } = select?.(call.query) ?? {};
    const position = lastEventIdOf(exchange.request) ?? after;
    const deadline = deadlines.begin(() => void exchange.sendError(timeIsUp));
    try {
      await streams.open(exchange, { after: position, types, scope, frames });
    } finally {
      deadlines.end(deadline);
    }
  }

  async function change(exchange: Exchange, { call, self, allowsTag, retry }: Input): Promise<void> {
    let rendered: Rendered | undefined;
    const precondition =
      allowsTag &&
      operation.conditional &&
      ((view: unknown) => allowsTag(entityTag(digest, JSON.stringify(show(view)))));
    const idempotency: IdempotentRequest<unknown> | undefined = retry && {
      id: requestIdOf(digest, authorize(exchange, scope).name, `${operation.method} ${retry.path}`, retry.key),
      fingerprint: fingerprintOf(digest, retry.body),
      render: (result) => JSON.stringify((rendered = render(result, self))),
      renderRefusal: (error) => (isConflict(error) ? JSON.stringify(exchange.render(toHttpError(error))) : undefined),
    };
    // The storage answers for the outcome: once the commit has begun, only the storage knows how it ends.
    const controller = new AbortController();
    const deadline = deadlines.begin(() => controller.abort(timeIsUp));
    try {
      const options = { signal: controller.signal, precondition, idempotency };
      const result = await handle({ ...call, options }, shop);
      await exchange.sendRendered(complete(rendered ?? render(result, self), result));
    } catch (error) {
      if (!(error instanceof AlreadyExecuted)) throw error;
      await exchange.sendRendered(JSON.parse(error.response) as Rendered, REPLAYED);
    } finally {
      deadlines.end(deadline);
    }
  }

  const execute = operation.method === 'get' ? read : change;
  return (exchange, routed) => {
    const lastId = Object.values(routed.ids).at(-1) ?? '';
    exchange.addHeaders(lifecycleOf(lastId));
    for (const guard of GUARDS) guard.check(exchange, guarded, lastId);
    const reading = readInput(exchange, routed);
    const answer = select && exchange.accepted.stream ? follow : execute;
    return reading instanceof Promise ? reading.then((input) => answer(exchange, input)) : answer(exchange, reading);
  };
}

/** Whether the store refused the request in its current state. A request that is refused for any other reason may be sent again unchanged. */
function isConflict(error: unknown): boolean {
  return error instanceof DomainError && toHttpError(error).status === 409;
}
