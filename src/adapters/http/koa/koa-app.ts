import type { RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import type { RequestHandler } from '../handler/request-handler.ts';
import { hostRule } from '../request/host.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { HttpSettings } from '../settings.ts';
import { NodeExchange } from './node-exchange.ts';
import { IndexedRouter } from './router.ts';

interface RequestContext extends Context {
  exchange: NodeExchange;
  target: RequestTarget;
  /** By the clock of `performance`, in milliseconds. */
  started: number;
}

/** Koa answers by itself; here the exchange does, so its own 404 and its listeners on every response are not needed. */
class PetstoreKoa extends Koa {
  handleRequest(context: Context, middleware: (context: Context) => Promise<void>): Promise<void> {
    return middleware(context);
  }
}

/** Serves the handler with Koa, as a listener for a Node server: what every request begins with, the named routes, and requests without a route. */
export function koaApp(handler: RequestHandler, { allowedHosts }: HttpSettings): RequestListener {
  const forbiddenHost = hostRule(allowedHosts);
  const router = new IndexedRouter(handler.index);
  for (const entry of handler.entries) {
    router.serve(entry, (context) => {
      const { exchange, target, params, started } = context as RequestContext;
      return entry.serve({ exchange, target, params, started });
    });
  }

  async function receive(context: Context, next: Next): Promise<void> {
    const requestContext = context as RequestContext;
    const { req, res } = context;
    requestContext.respond = false;
    requestContext.started = performance.now();
    requestContext.exchange = new NodeExchange(req, res, handler.exchangeParts(req.headers.origin));
    // Nothing is upgraded here, but Node leaves out what it read together with such a request.
    if (req.headers.upgrade !== undefined) requestContext.exchange.addHeaders(['Connection', 'close']);
    try {
      const forbidden = forbiddenHost(req);
      if (forbidden) throw forbidden;
      const target = handler.receive(requestContext.exchange);
      requestContext.target = target instanceof Promise ? await target : target;
      await next();
    } catch (error) {
      await handler.fail(requestContext.exchange, error);
    }
  }

  const app = new PetstoreKoa();
  app.silent = true;
  app.use(receive);
  app.use(router.dispatcher((context) => (context as RequestContext).target.path));
  app.use(async (context) => {
    const { exchange, target } = context as RequestContext;
    await handler.unmatched(exchange, target.path);
  });
  return app.callback();
}
