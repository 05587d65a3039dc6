import type { IncomingMessage, RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { isServed, type Operation } from '../../../api/operation.ts';
import type { Log } from '../../../application/ports/log.ts';
import { HttpError, toHttpError } from '../http-error.ts';
import { crossOrigin, preflight } from '../protocol/cross-origin.ts';
import { hostRule } from '../protocol/host.ts';
import { type RequestTarget, readTarget } from '../protocol/request-target.ts';
import { cacheControlOf } from '../settings.ts';
import { type Admission, authorize } from './admission.ts';
import { Exchange } from './exchange.ts';
import { KnownPaths } from './known-paths.ts';
import type { Metrics } from './metrics.ts';
import { type OperationParts, operationHandler } from './operation-handler.ts';
import type { Page } from './page.ts';
import { ClientGone } from './request-body.ts';
import { IndexedRouter } from './router.ts';

export interface KoaAppParts extends OperationParts {
  readonly operations: readonly Operation[];
  /** What is served beside the described interface. */
  readonly pages: readonly Page[];
  readonly admission: Admission;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Visit extends Context {
  exchange: Exchange;
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

/** The whole HTTP side as a listener for a Node server: front door, routes, and what no route took. */
export function koaApp(parts: KoaAppParts): RequestListener {
  const { operations, pages, settings, admission, log, metrics } = parts;
  const originHeaders = crossOrigin(settings);
  const preflightHeaders = preflight(settings);
  const cacheControl = cacheControlOf(settings);
  const forbiddenHost = hostRule(settings.allowedHosts);
  const served = operations.filter((operation) => isServed(operation, settings));
  const knownPaths = new KnownPaths(
    [
      ...pages.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')).filter((path) => !path.startsWith('/docs/')),
      ...served.map(({ path }) => settings.basePath + path),
    ],
    settings.basePath,
  );
  const router = new IndexedRouter({ strict: true, sensitive: true });
  for (const page of pages) {
    router.get(page.path, (context: Context) => {
      const { exchange } = context as Visit;
      exchange.cacheControl = page.cacheControl ?? 'no-cache';
      exchange.mustBeAdmitted();
      if (page.scope) authorize(exchange, page.scope);
      return page.show(exchange, context.params);
    });
  }
  for (const operation of operations) {
    const handler = operationHandler(operation, parts);
    const path = settings.basePath + operation.path.replace(/\{(\w+)\}/g, ':$1');
    const name = operation.operationId;
    const methods = operation.method === 'get' ? ['get', 'head'] : [operation.method];
    // One that is not served keeps its path, without a method, so that no template takes the path for its own.
    router.register(
      path,
      isServed(operation, settings) ? methods : [],
      async (context: Context) => {
        const { exchange, target, params, started } = context as Visit;
        try {
          await handler(exchange, { path: target.rawPath, query: target.query, ids: params });
        } catch (error) {
          await fail(exchange, error);
        }
        metrics.observe(operation, exchange.status, (performance.now() - started) / 1000, exchange.caller?.name);
      },
      { name },
    );
  }

  let knowsOfProxies = settings.trustedProxies > 0;

  /** Once: behind a proxy, every request has the header. */
  function warnOfIgnoredProxy({ headers }: IncomingMessage): void {
    if (knowsOfProxies || headers['x-forwarded-for'] === undefined) return;
    knowsOfProxies = true;
    log.warn('ignored X-Forwarded-For: all clients of a proxy count as one address until it is trusted', {
      variable: 'PETSTORE_TRUSTED_PROXIES',
    });
  }

  async function frontDoor(context: Context, next: Next): Promise<void> {
    const visit = context as Visit;
    visit.respond = false;
    visit.started = performance.now();
    visit.exchange = new Exchange(context.req, context.res, {
      crossOrigin: originHeaders(context.req.headers.origin),
      cacheControl,
    });
    // Nothing is upgraded here, but Node leaves out what it read together with such a request.
    if (context.req.headers.upgrade !== undefined) visit.exchange.mark(['Connection', 'close']);
    try {
      const forbidden = forbiddenHost(context.req);
      if (forbidden) throw forbidden;
      warnOfIgnoredProxy(context.req);
      // Whoever watches the service must get through whatever others do.
      const admitting = isProbe(context.req.url) ? undefined : admission.admit(visit.exchange);
      if (admitting) await admitting;
      visit.target = readTarget(context.req, settings.limits.url);
      await next();
    } catch (error) {
      await fail(visit.exchange, error);
    }
  }

  /** RFC 9110: OPTIONS (9.3.7) and 405 (15.5.6) name what the path can do; all else is not there. */
  async function noRoute(context: Context): Promise<void> {
    const { exchange, target } = context as Visit;
    exchange.mustBeAdmitted();
    const methods = router.layersFor(target.path).flatMap(({ methods }) => methods);
    const isOptions = context.req.method === 'OPTIONS';
    if (methods.length === 0 && !(isOptions && target.path === '*')) {
      const near = knownPaths.near(target.path);
      const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
      throw new HttpError('not_found', `The path ${target.path.slice(0, 200)} does not exist.${hint}`);
    }
    const allow = [...new Set(methods), 'OPTIONS'].join(', ');
    if (isOptions) await exchange.send(204, ['Allow', allow, ...preflightHeaders(context.req.headers, allow)]);
    else {
      throw new HttpError(
        'method_not_allowed',
        `${context.req.method} is not supported here; the path supports ${allow}.`,
        {
          headers: ['Allow', allow],
        },
      );
    }
  }

  async function fail(exchange: Exchange, error: unknown): Promise<void> {
    if (error instanceof ClientGone) {
      exchange.response.destroy();
      return;
    }
    const answer = toHttpError(error);
    // What is refused on purpose while there is too much to do is counted, not logged: that would be more to do.
    if (answer.status >= 500 && !(error instanceof HttpError)) {
      report(answer.code === 'internal_error' ? 'error' : 'warn', answer.code, {
        requestId: exchange.requestId,
        error,
      });
    }
    try {
      await exchange.sendError(answer);
    } catch (failure) {
      report('error', 'the response could not be sent', { requestId: exchange.requestId, error: failure });
      exchange.response.destroy();
    }
  }

  /** Logs. Nothing handles what this throws: a log of another team that fails would end the process. */
  function report(level: 'error' | 'warn', ...line: Parameters<Log['error']>): void {
    try {
      log[level](...line);
    } catch {
      // The client still gets its response.
    }
  }

  const app = new PetstoreKoa();
  app.silent = true;
  app.use(frontDoor);
  app.use(router.dispatcher((context) => (context as Visit).target.path));
  app.use(noRoute);
  return app.callback();
}

function isProbe(url = ''): boolean {
  return url.startsWith('/health/');
}
