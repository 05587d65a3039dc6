import type { IncomingMessage, RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { isServed, type Operation } from '../../../api/operation.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type Admission, authorize } from '../handler/admission.ts';
import { KnownPaths } from '../handler/known-paths.ts';
import type { Metrics } from '../handler/metrics.ts';
import { type OperationParts, operationHandler } from '../handler/operation-handler.ts';
import type { Page } from '../handler/page.ts';
import { PathIndex } from '../handler/path-index.ts';
import { unmatchedHandler } from '../handler/unmatched.ts';
import { HttpError, toHttpError } from '../http-error.ts';
import { hostRule } from '../request/host.ts';
import { type RequestTarget, readTarget } from '../request/request-target.ts';
import { crossOrigin, preflight } from '../response/cross-origin.ts';
import { cacheControlOf } from '../settings.ts';
import { NodeExchange } from './node-exchange.ts';
import { ClientGone } from './receive-body.ts';
import { IndexedRouter, type NamedEntry } from './router.ts';

export interface KoaAppParts extends OperationParts {
  readonly operations: readonly Operation[];
  /** What is served beside the described interface. */
  readonly pages: readonly Page[];
  readonly admission: Admission;
  readonly log: Log;
  readonly metrics: Metrics;
}

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

/** The whole HTTP side as a listener for a Node server: what every request begins with, the routes, and requests without a route. */
export function koaApp(parts: KoaAppParts): RequestListener {
  const { operations, pages, settings, admission, log, metrics, digest } = parts;
  const originHeaders = crossOrigin(settings);
  const preflightHeaders = preflight(settings);
  const cacheControl = cacheControlOf(settings);
  const forbiddenHost = hostRule(settings.allowedHosts);
  const served = operations.filter((operation) => isServed(operation, settings));
  const knownPaths = new KnownPaths(
    [
      ...pages.map(({ path }) => path).filter((path) => !path.startsWith('/docs/')),
      ...served.map(({ path }) => settings.basePath + path),
    ],
    settings.basePath,
  );
  const endpointEntries = pages.map((page) => ({ name: page.path, path: page.path, methods: ['HEAD', 'GET'], page }));
  const operationEntries = operations.map((operation) => ({
    name: operation.operationId,
    path: settings.basePath + operation.path,
    // One that is not served keeps its path, without a method, so that no template matches it.
    methods: isServed(operation, settings) ? methodsOf(operation) : [],
    operation,
  }));
  const index = new PathIndex<NamedEntry>([...endpointEntries, ...operationEntries]);
  const unmatched = unmatchedHandler({ index, knownPaths, preflightHeaders });
  const router = new IndexedRouter(index);
  for (const { page, ...entry } of endpointEntries) {
    router.serve(entry, (context) => {
      const { exchange } = context as RequestContext;
      exchange.cacheControl = page.cacheControl ?? 'no-cache';
      exchange.mustBeAdmitted();
      if (page.scope) authorize(exchange, page.scope);
      return page.show(exchange, context.params);
    });
  }
  for (const { operation, ...entry } of operationEntries) {
    const handler = operationHandler(operation, parts);
    router.serve(entry, async (context) => {
      const { exchange, target, params, started } = context as RequestContext;
      try {
        await handler(exchange, { path: target.rawPath, query: target.query, ids: params });
      } catch (error) {
        await fail(exchange, error);
      }
      metrics.observe(operation, exchange.status, (performance.now() - started) / 1000, exchange.caller?.name);
    });
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

  async function receive(context: Context, next: Next): Promise<void> {
    const requestContext = context as RequestContext;
    requestContext.respond = false;
    requestContext.started = performance.now();
    requestContext.exchange = new NodeExchange(context.req, context.res, {
      crossOrigin: originHeaders(context.req.headers.origin),
      cacheControl,
      digest,
    });
    // Nothing is upgraded here, but Node leaves out what it read together with such a request.
    if (context.req.headers.upgrade !== undefined) requestContext.exchange.mark(['Connection', 'close']);
    try {
      const forbidden = forbiddenHost(context.req);
      if (forbidden) throw forbidden;
      warnOfIgnoredProxy(context.req);
      // Whoever watches the service must get through whatever others do.
      const admitting = isProbe(context.req.url) ? undefined : admission.admit(requestContext.exchange);
      if (admitting) await admitting;
      requestContext.target = readTarget(context.req, settings.limits.url);
      await next();
    } catch (error) {
      await fail(requestContext.exchange, error);
    }
  }

  async function fail(exchange: NodeExchange, error: unknown): Promise<void> {
    if (error instanceof ClientGone) {
      exchange.abandon();
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
      exchange.abandon();
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
  app.use(receive);
  app.use(router.dispatcher((context) => (context as RequestContext).target.path));
  app.use(async (context) => {
    const { exchange, target } = context as RequestContext;
    await unmatched(exchange, target.path);
  });
  return app.callback();
}

function isProbe(url = ''): boolean {
  return url.startsWith('/health/');
}

function methodsOf({ method }: Operation): readonly string[] {
  return method === 'get' ? ['HEAD', 'GET'] : [method.toUpperCase()];
}
