import type Router from '@koa/router';
import type { DefaultContext, DefaultState, Middleware } from 'koa';
import type { Caller } from '../../../application/ports/credential-verifier.ts';
import type { Scope } from '../../../domain/scope.ts';
import { sharedByCopies } from '../../../domain/shared-by-copies.ts';
import type { RouteContext } from './router.ts';

/** What the service knows about a request. */
export interface PetstoreRequest {
  /** The `X-Request-Id` of the response. */
  readonly requestId: string;
  /**
   * The name of the matched route of the service: an operationId such as `getPet`, or the path of a service endpoint such as
   * `/docs`. `undefined` for every other request, such as one for a route of another team.
   */
  readonly route: string | undefined;
  /** The name of the verified caller; `undefined` without a valid credential. */
  readonly caller: string | undefined;
  /** Milliseconds since the headers of the request arrived. */
  readonly duration: number;
  /** Returns the caller. @throws an error that the service answers with 401, 403 or 503, if the caller lacks the scope */
  authorize(scope: Scope): Caller;
}

/** What the service adds to Koa's context. `routerName`, `_matchedRouteName` and `params` are those of `@koa/router`. */
export interface PetstoreContext extends DefaultContext, RouteContext {
  readonly petstore: PetstoreRequest;
}

export type KoaMiddleware = Middleware<DefaultState, PetstoreContext>;

/** Middleware, or the routes of a router: `router.routes()`. */
export type KoaRoutes = KoaMiddleware | ReturnType<Router<DefaultState, PetstoreContext>['routes']>;

class KoaExtensionPort {
  /** Runs before the service's own handling, and around it: what follows `await next()` runs when the response was sent. */
  readonly before: readonly KoaMiddleware[];
  /** Runs for every request that no route of the service matches. */
  readonly routes: readonly KoaRoutes[];
  /** Runs when the response is complete, for every request. It cannot change the response any more. */
  readonly after: readonly KoaMiddleware[];

  constructor({ before = [], routes = [], after = [] }: Partial<KoaExtensionPort> = {}) {
    if (![...before, ...routes, ...after].every((part) => typeof part === 'function')) {
      throw new TypeError('The parts of a KoaExtension must be lists of middleware functions.');
    }
    this.before = before;
    this.routes = routes;
    this.after = after;
  }
}

/** Koa middleware and routes of another team. A module may bind any number of them; see docs/koa-middleware.md. */
export type KoaExtension = KoaExtensionPort;
export const KoaExtension = sharedByCopies('KoaExtension', KoaExtensionPort);
