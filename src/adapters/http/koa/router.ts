import Router, { type RouterMiddleware } from '@koa/router';
import type { DefaultState } from 'koa';
import type { Match, PathEntry, PathIndex } from '../handler/path-index.ts';

/** A route by its name: that of the operation or of the service endpoint. */
export interface NamedEntry extends PathEntry {
  readonly name: string;
}

/** What `@koa/router` writes into the context of a request that matches a route. */
export interface RouteContext {
  params?: Readonly<Record<string, string>>;
  routerName?: string;
  _matchedRouteName?: string;
}

/**
 * The named routes of `@koa/router`, found through the index that every transport shares. The router itself would try the
 * pattern of every route in turn and compose a chain of middleware for each request.
 */
export class IndexedRouter<Entry extends NamedEntry, Context extends RouteContext> {
  /** The routes under their names: `routes.url('getPet', { petId: 7 })`. */
  readonly routes: Router<DefaultState, Context>;
  readonly #index: PathIndex<Entry>;

  /** Registers a route for every entry, each with the same middleware. */
  constructor(index: PathIndex<Entry>, entries: Iterable<Entry>, serve: RouterMiddleware<DefaultState, Context>) {
    this.#index = index;
    this.routes = new Router<DefaultState, Context>({ strict: true, sensitive: true });
    for (const { name, path, methods } of entries) {
      this.routes.register(path.replace(/\{(\w+)\}/g, ':$1'), [...methods], serve, { name });
    }
  }

  /** Finds the entry for a decoded path, and names its route in the context as `@koa/router` does. */
  find(context: RouteContext & { readonly method: string }, path: string): Match<Entry> | undefined {
    const match = this.#index.find(context.method, path);
    if (match) {
      context.params = match.params;
      context.routerName = context._matchedRouteName = match.entry.name;
    }
    return match;
  }
}
