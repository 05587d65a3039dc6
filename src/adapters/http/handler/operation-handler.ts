import type { Cursors } from '../../../api/cursors.ts';
import type { Digest } from '../../../api/digest.ts';
import type { Operation } from '../../../api/operation.ts';
import type { ApiResponse } from '../../../api/response.ts';
import { linkBase } from '../../../api/settings.ts';
import type { SchemaCompiler } from '../../../api/validation.ts';
import type { Idempotency } from '../../../application/idempotency.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { UnitOfWork } from '../../../application/ports/unit-of-work.ts';
import type { Shop } from '../../../application/shop.ts';
import { DomainError } from '../../../domain/refusals.ts';
import { toHttpError, unavailable } from '../http-error.ts';
import { fingerprintOf, requestIdOf } from '../request/idempotency-key.ts';
import { lifecycleHeaders } from '../response/lifecycle.ts';
import type { Rendered } from '../response/message.ts';
import { responseWriter } from '../response/rendering.ts';
import type { HttpSettings } from '../settings.ts';
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
  readonly unitOfWork: UnitOfWork;
  readonly idempotency: Idempotency;
  readonly deadlines: RequestDeadlines;
  readonly load: LoadShedder;
  readonly cursors: Cursors;
  readonly digest: Digest;
  readonly schemas: SchemaCompiler;
}

/** Makes an operation's data and handler into what answers its requests. All that can be prepared is prepared once, here. */
export function operationHandler(operation: Operation, parts: OperationParts): OperationHandler {
  const { deprecation, handle, scope } = operation;
  const { settings, clock, readiness, shop, unitOfWork, idempotency, deadlines, load, digest } = parts;
  const base = linkBase(settings);
  const lifecycleOf = lifecycleHeaders(operation, base);
  const readInput = inputReader(operation, parts);
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
  const timeIsUp = unavailable(
    `The request exceeded the time limit of ${settings.limits.operationTime} ms; nothing was changed. Try again in a moment.`,
  );

  /** At most once per Idempotency-Key. */
  async function performOnce(
    exchange: Exchange,
    { call, retry }: Input & { readonly retry: NonNullable<Input['retry']> },
    { limited, render }: { readonly limited: UnitOfWork; readonly render: (response: ApiResponse) => Rendered },
  ): Promise<void> {
    const { name } = authorize(exchange, scope);
    const request = {
      id: requestIdOf(digest, name, `${operation.method} ${retry.path}`, retry.key),
      fingerprint: fingerprintOf(digest, retry.body),
    };
    const action = {
      execute: async (inner: UnitOfWork) => JSON.stringify(render(await handle(call, shop.on(inner)))),
      refusalOf: (error: unknown) =>
        isConflict(error) ? JSON.stringify(exchange.render(toHttpError(error))) : undefined,
    };
    const { response: answer, replayed } = await idempotency.execute(request, action, limited);
    await exchange.sendRendered(JSON.parse(answer) as Rendered, replayed ? REPLAYED : undefined);
  }

  return async (exchange, routed) => {
    const lastId = Object.values(routed.ids).at(-1) ?? '';
    exchange.addHeaders(lifecycleOf(lastId));
    for (const guard of GUARDS) guard.check(exchange, guarded, lastId);

    const reading = readInput(exchange, routed);
    const input = reading instanceof Promise ? await reading : reading;
    const { call, self, retry } = input;
    const render = (response: ApiResponse) => write(response, self);

    const work = deadlines.begin(() => void exchange.sendError(timeIsUp));
    try {
      if (isSafe) {
        await sendRead(exchange, render(await handle(call, shop)));
        return;
      }
      const limited = work.limit(unitOfWork);
      if (retry) await performOnce(exchange, { ...input, retry }, { limited, render });
      else await exchange.sendRendered(render(await handle(call, shop.on(limited))));
    } finally {
      deadlines.end(work);
    }
  };
}

const REPLAYED = ['Idempotent-Replayed', 'true'];

/** What the store refused as it stood; what is refused for any other reason may be sent again as it is. */
function isConflict(error: unknown): boolean {
  return error instanceof DomainError && toHttpError(error).status === 409;
}

function sendRead(exchange: Exchange, rendered: Rendered): void | Promise<void> {
  const { tag, headers, body } = rendered;
  if (tag === undefined || body === undefined) return exchange.sendRendered(rendered);
  return exchange.sendRepresentation({ tag, headers, body });
}
