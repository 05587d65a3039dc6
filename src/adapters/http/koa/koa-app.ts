import type { RequestListener } from 'node:http';
import Koa, { type DefaultState, type Next } from 'koa';
import type { ServedEntry } from '../handler/request-handler.ts';
import { hostRule } from '../request/host.ts';
import type { HttpSettings } from '../settings.ts';
import { ExtensionHost, type ExtensionHostParts } from './extension-host.ts';
import { NodeExchange } from './node-exchange.ts';
import { IndexedRouter } from './router.ts';
import { type KoaContext, type ServedContext, ServedRequest } from './served-request.ts';

/** Koa without its own response and its listeners on every response, which cost more than the work: here the exchange responds. */
class BareKoa extends Koa<DefaultState, ServedContext> {
  handleRequest(context: KoaContext, middleware: (context: KoaContext) => Promise<void>): Promise<void> {
    return middleware(context);
  }
}

export interface KoaAppParts extends ExtensionHostParts {
  readonly settings: HttpSettings;
}

/**
 * Serves the handler with Koa, as a listener for a Node server: what every request begins with, the named routes, and requests
 * without a route. Where another team extends it, Koa responds for their middleware as usual.
 */
export function koaApp({ settings, ...parts }: KoaAppParts): RequestListener {
  const { handler, extensions } = parts;
  const forbiddenHost = hostRule(settings.allowedHosts);
  const router = new IndexedRouter<ServedEntry, ServedContext>(handler.index, handler.entries, serve);
  const host = extensions.length > 0 ? new ExtensionHost(parts) : undefined;

  async function receive(context: KoaContext, next: Next): Promise<void> {
    const { req, res } = context;
    const exchange = new NodeExchange(req, res, handler.exchangeParts(req.headers.origin));
    const request = new ServedRequest(exchange, performance.now());
    // What middleware of another team replaced would be missing after it.
    if (host) Object.defineProperty(context, 'petstore', { value: request });
    else context.petstore = request;
    context.respond = false;
    host?.observe(context);
    // Nothing is upgraded here, but Node leaves out what it read together with such a request.
    if (req.headers.upgrade !== undefined) exchange.addHeaders(['Connection', 'close']);
    try {
      const forbidden = forbiddenHost(req);
      if (forbidden) throw forbidden;
      const receiving = handler.receive(exchange);
      const target = receiving instanceof Promise ? await receiving : receiving;
      request.target = target;
      request.match = router.find(context, target.path);
      await next();
    } catch (error) {
      await handler.fail(exchange, error);
    }
  }

  /** Responds by the matched route, or says that there is none. */
  function serve({ petstore: { exchange, target, match, started } }: KoaContext): void | Promise<void> {
    if (!target) throw new TypeError('The target of the request was not read.');
    if (!match) return handler.unmatched(exchange, target.path);
    return match.entry.serve({ exchange, target, params: match.params, started });
  }

  const app: Koa<DefaultState, ServedContext> = host ? new Koa() : new BareKoa();
  app.silent = true;
  app.use(receive);
  if (!host) app.use(serve);
  else {
    app.context.onerror = function (this: KoaContext, error: Error | null | undefined) {
      if (error) void host.bodyFailed(this, error);
    };
    const takeOver = (context: KoaContext) => host.takeOver(context, serve);
    app.use((context, next) => (host.bypasses(context) ? serve(context) : host.enter(context, next)));
    for (const middleware of host.before) app.use(middleware);
    app.use((context, next) => (context.petstore.match ? takeOver(context) : next()));
    app.use((context, next) => host.enterRoutes(context, next));
    for (const middleware of host.routes) app.use(middleware);
    app.use(takeOver);
  }
  return app.callback();
}
