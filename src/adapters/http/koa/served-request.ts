import type { DefaultState, ParameterizedContext } from 'koa';
import type { Caller } from '../../../application/ports/credential-verifier.ts';
import type { Scope } from '../../../domain/scope.ts';
import { authorize } from '../handler/http-access.ts';
import type { Match } from '../handler/path-index.ts';
import type { ServedEntry } from '../handler/request-handler.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { PetstoreContext, PetstoreRequest } from './extension.ts';
import type { NodeExchange } from './node-exchange.ts';

/** What the context of a request contains for the service itself. */
export interface ServedContext extends PetstoreContext {
  petstore: ServedRequest;
}

export type KoaContext = ParameterizedContext<DefaultState, ServedContext>;

/** One request on its way through Koa. */
export class ServedRequest implements PetstoreRequest {
  readonly exchange: NodeExchange;
  /** By the clock of `performance`, in milliseconds. */
  readonly started: number;
  /** `undefined` until the target was read, and if that failed. */
  target: RequestTarget | undefined;
  match: Match<ServedEntry> | undefined;
  /** Whether the service itself responds. */
  isTaken = false;

  constructor(exchange: NodeExchange, started: number) {
    this.exchange = exchange;
    this.started = started;
  }

  get requestId(): string {
    return this.exchange.requestId;
  }

  get route(): string | undefined {
    return this.match?.entry.name;
  }

  get caller(): string | undefined {
    return this.exchange.caller?.name;
  }

  get duration(): number {
    return performance.now() - this.started;
  }

  authorize(scope: Scope): Caller {
    return authorize(this.exchange, scope);
  }
}
