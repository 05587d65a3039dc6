import Router from '@koa/router';
import type { Context, Middleware, Next } from 'koa';
import type { PathEntry, PathIndex } from '../handler/path-index.ts';

/** A route by its name: that of the operation or of the service endpoint. */
export interface NamedEntry extends PathEntry {
  readonly name: string;
}

type Handler = (context: Context, next: Next) => unknown;

/**
 * The named routes of `@koa/router`, dispatched through the index that every transport shares. The router by itself tries the
 * pattern of every route in turn and composes a chain of middleware for each request; here a route is one handler.
 */
export class IndexedRouter extends Router {
  readonly #index: PathIndex<NamedEntry>;
  readonly #handlers = new Map<string, Handler>();

  constructor(index: PathIndex<NamedEntry>) {
    super({ strict: true, sensitive: true });
    this.#index = index;
  }

  /** Registers the route of an entry of the index. */
  serve({ name, path, methods }: NamedEntry, handler: Handler): void {
    this.register(path.replace(/\{(\w+)\}/g, ':$1'), [...methods], handler as never, { name });
    this.#handlers.set(name, handler);
  }

  /** Calls the handler of the route with `context.params` and `context.routerName`; `pathOf` returns the decoded path. */
  dispatcher(pathOf: (context: Context) => string): Middleware {
    return (context: Context, next: Next) => {
      const match = this.#index.find(context.req.method as string, pathOf(context));
      const handler = match && this.#handlers.get(match.entry.name);
      if (!match || !handler) return next();
      context.params = match.params;
      context.routerName = match.entry.name;
      return handler(context, next);
    };
  }
}
