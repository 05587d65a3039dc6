import { isServed, type Operation } from '../../../api/operation.ts';
import type { Log } from '../../../application/ports/log.ts';
import { HttpError, toHttpError } from '../http-error.ts';
import { type RequestTarget, readTarget } from '../request/request-target.ts';
import { crossOrigin, preflight } from '../response/cross-origin.ts';
import { cacheControlOf } from '../settings.ts';
import { ClientGone } from './body-reader.ts';
import type { Exchange, ExchangeParts } from './exchange.ts';
import { authorize, type HttpAccess } from './http-access.ts';
import { KnownPaths } from './known-paths.ts';
import type { Metrics } from './metrics.ts';
import { notFoundOrMethodNotAllowed } from './not-found-or-method-not-allowed.ts';
import { type OperationParts, operationHandler } from './operation-handler.ts';
import { type PathEntry, PathIndex } from './path-index.ts';
import type { ServiceEndpoint } from './service-endpoint.ts';

export interface RequestHandlerParts extends OperationParts {
  readonly operations: readonly Operation[];
  /** What is served beside the described interface. */
  readonly endpoints: readonly ServiceEndpoint[];
  readonly access: HttpAccess;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A request that was matched with an entry of the index. */
export interface MatchedRequest {
  readonly exchange: Exchange;
  readonly target: RequestTarget;
  /** The parameters of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** By the clock of `performance`, in milliseconds. */
  readonly started: number;
}

/** An operation or a service endpoint, under its name. */
export interface ServedEntry extends PathEntry {
  readonly name: string;
  serve(request: MatchedRequest): void | Promise<void>;
}

/** Everything between a transport's request and its response: what precedes the path, the path itself, and errors. */
export class RequestHandler {
  readonly index: PathIndex<ServedEntry>;
  readonly entries: readonly ServedEntry[];
  /** Answers a request with an unknown path or method. */
  readonly unmatched: (exchange: Exchange, path: string) => void | Promise<void>;
  readonly #parts: RequestHandlerParts;
  readonly #originHeaders: ReturnType<typeof crossOrigin>;
  readonly #cacheControl: string;
  #knowsOfProxies: boolean;

  constructor(parts: RequestHandlerParts) {
    const { operations, endpoints: pages, settings } = parts;
    this.#parts = parts;
    this.#originHeaders = crossOrigin(settings);
    this.#cacheControl = cacheControlOf(settings);
    this.#knowsOfProxies = settings.trustedProxies > 0;
    this.entries = [
      ...pages.map((page) => endpointEntry(page)),
      ...operations.map((operation) => this.#operationEntry(operation)),
    ];
    this.index = new PathIndex(this.entries);
    const served = operations.filter((operation) => isServed(operation, settings));
    const knownPaths = new KnownPaths(
      [
        ...pages.map(({ path }) => path).filter((path) => !path.startsWith('/docs/')),
        ...served.map(({ path }) => settings.basePath + path),
      ],
      settings.basePath,
    );
    this.unmatched = notFoundOrMethodNotAllowed({
      index: this.index,
      knownPaths,
      preflightHeaders: preflight(settings),
    });
  }

  /** What an exchange needs to know of the service; `origin` is the header of the request. */
  exchangeParts(origin: string | undefined): Omit<ExchangeParts, 'newRequestId'> {
    return {
      crossOrigin: this.#originHeaders(origin),
      cacheControl: this.#cacheControl,
      digest: this.#parts.digest,
    };
  }

  /**
   * Identifies the caller, counts the request against the quota, and reads the target. Returns synchronously if it waits for
   * nothing: the reader of the body is then attached before the parser finds a fault in it. @throws {HttpError}
   */
  receive(exchange: Exchange): RequestTarget | Promise<RequestTarget> {
    const { access, settings } = this.#parts;
    this.#warnOfIgnoredProxy(exchange);
    const read = () => readTarget(exchange.request, settings.limits.url);
    // Monitoring must succeed under any load.
    const admitting = isProbe(exchange.request.url) ? undefined : access.admit(exchange);
    return admitting ? admitting.then(read) : read();
  }

  /** Answers with the error. The details of an unexpected error are logged and not disclosed. */
  async fail(exchange: Exchange, error: unknown): Promise<void> {
    if (error instanceof ClientGone) {
      exchange.abandon();
      return;
    }
    const answer = toHttpError(error);
    // Requests that are shed are counted and not logged, because logging would add load.
    if (answer.status >= 500 && !(error instanceof HttpError)) {
      const level = answer.code === 'internal_error' ? 'error' : 'warn';
      this.#report(level, answer.code, { requestId: exchange.requestId, error });
    }
    try {
      await exchange.sendError(answer);
    } catch (failure) {
      this.#report('error', 'the response could not be sent', { requestId: exchange.requestId, error: failure });
      exchange.abandon();
    }
  }

  #operationEntry(operation: Operation): ServedEntry {
    const { settings, metrics } = this.#parts;
    const handler = operationHandler(operation, this.#parts);
    return {
      name: operation.operationId,
      path: settings.basePath + operation.path,
      // One that is not served keeps its path, without a method, so that no template matches it.
      methods: isServed(operation, settings) ? methodsOf(operation) : [],
      serve: async ({ exchange, target, params, started }) => {
        try {
          await handler(exchange, { path: target.rawPath, query: target.query, ids: params });
        } catch (error) {
          await this.fail(exchange, error);
        }
        const { status, caller } = exchange;
        if (status !== undefined)
          metrics.observe(operation, status, (performance.now() - started) / 1000, caller?.name);
      },
    };
  }

  /** Once: behind a proxy, every request has the header. */
  #warnOfIgnoredProxy({ request: { headers } }: Exchange): void {
    if (this.#knowsOfProxies || headers['x-forwarded-for'] === undefined) return;
    this.#knowsOfProxies = true;
    this.#parts.log.warn('ignored X-Forwarded-For: all clients of a proxy count as one address until it is trusted', {
      variable: 'PETSTORE_TRUSTED_PROXIES',
    });
  }

  /** Logs. Nothing handles what this throws: a log of another team that fails would end the process. */
  #report(level: 'error' | 'warn', ...line: Parameters<Log['error']>): void {
    try {
      this.#parts.log[level](...line);
    } catch {
      // The client still gets its response.
    }
  }
}

function endpointEntry(page: ServiceEndpoint): ServedEntry {
  return {
    name: page.path,
    path: page.path,
    methods: ['HEAD', 'GET'],
    serve: ({ exchange, params }) => {
      exchange.cacheControl = page.cacheControl ?? 'no-cache';
      exchange.assertAdmitted();
      if (page.scope) authorize(exchange, page.scope);
      return page.serve(exchange, params);
    },
  };
}

function isProbe(url = ''): boolean {
  return url.startsWith('/health/');
}

function methodsOf({ method }: Operation): readonly string[] {
  return method === 'get' ? ['HEAD', 'GET'] : [method.toUpperCase()];
}
