import { STATUS_CODES } from 'node:http';
import type { Next } from 'koa';
import type { LoadShedder } from '../handler/load-shedder.ts';
import type { Readiness } from '../handler/readiness.ts';
import type { RequestHandler } from '../handler/request-handler.ts';
import { HttpError } from '../http-error.ts';
import type { KoaExtension, KoaMiddleware, KoaRoutes } from './extension.ts';
import type { KoaContext } from './served-request.ts';

export interface ExtensionHostParts {
  readonly extensions: readonly KoaExtension[];
  readonly handler: RequestHandler;
  readonly load: LoadShedder;
  readonly readiness: Readiness;
}

/** Service endpoints that report on the service itself: middleware of other teams can neither delay nor change them. */
const MONITORING: ReadonlySet<string | undefined> = new Set(['/health/live', '/health/ready', '/metrics']);

/** Headers that describe a body. Those of middleware do not apply to a body of the service. */
const BODY_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Transfer-Encoding',
  'ETag',
  'Last-Modified',
];

/** What a connection that was lost reports. */
const DISCONNECTED: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

type Serve = (context: KoaContext) => void | Promise<void>;

/** Runs the middleware of other teams within the limits of the service. */
export class ExtensionHost {
  readonly before: readonly KoaMiddleware[];
  readonly routes: readonly KoaRoutes[];
  readonly #after: readonly KoaMiddleware[];
  readonly #handler: RequestHandler;
  readonly #load: LoadShedder;
  readonly #readiness: Readiness;

  constructor({ extensions, handler, load, readiness }: ExtensionHostParts) {
    this.before = extensions.flatMap(({ before }) => before);
    this.routes = extensions.flatMap(({ routes }) => routes);
    this.#after = extensions.flatMap(({ after }) => after);
    this.#handler = handler;
    this.#load = load;
    this.#readiness = readiness;
  }

  /** Calls the middleware that runs after the response, when that is complete or its connection was lost. */
  observe(context: KoaContext): void {
    if (this.#after.length > 0) context.res.once('close', () => void this.#runAfter(context));
  }

  /**
   * Lets a request enter the middleware of other teams, unless it is over its quota or the service is overloaded. While it is
   * in there it counts as in flight.
   */
  async enter(context: KoaContext, next: Next): Promise<void> {
    const { exchange } = context.petstore;
    exchange.assertAdmitted();
    this.#load.shedIfOverloaded();
    this.#load.enterMiddleware();
    context.respond = true;
    try {
      await next();
      if (isUnanswered(context)) throw new HttpError('not_found', 'No middleware answered this request.');
    } catch (error) {
      if (!answeredAsStated(context, error)) throw failed(context, error);
    } finally {
      this.#load.leaveMiddleware();
    }
    if (!context.petstore.isTaken) addHeaders(context, exchange.commonHeaders);
  }

  /** Makes the service respond. Middleware around it sees no error of it, only the response. */
  async takeOver(context: KoaContext, serve: Serve): Promise<void> {
    const { petstore, res } = context;
    if (res.headersSent) {
      const error = new Error('Middleware called next after a response had begun.');
      return this.#handler.fail(petstore.exchange, failed(context, error));
    }
    petstore.isTaken = true;
    context.respond = false;
    res.statusCode = 200;
    for (const name of BODY_HEADERS) res.removeHeader(name);
    this.#load.leaveMiddleware();
    try {
      await serve(context);
    } catch (error) {
      await this.#handler.fail(petstore.exchange, error);
    } finally {
      this.#load.enterMiddleware();
    }
  }

  /** Whether the request passes the middleware of other teams by. */
  bypasses({ petstore }: KoaContext): boolean {
    return MONITORING.has(petstore.route);
  }

  /** Routes of other teams may use the store, so they are closed with it. */
  async enterRoutes(context: KoaContext, next: Next): Promise<void> {
    try {
      this.#readiness.assertOpen();
    } catch (error) {
      return this.takeOver(context, () => {
        throw error;
      });
    }
    return next();
  }

  /** In place of Koa's own error response: a body that middleware has set cannot be sent. */
  async bodyFailed(context: KoaContext, error: NodeJS.ErrnoException): Promise<void> {
    // Koa responds no more after the first report, nor where the service does.
    if (context.respond === false || DISCONNECTED.includes(error.code)) return;
    await this.#handler.fail(context.petstore.exchange, failed(context, error));
  }

  async #runAfter(context: KoaContext): Promise<void> {
    if (this.bypasses(context)) return;
    this.#load.enterMiddleware();
    try {
      for (const middleware of this.#after) await middleware(context, async () => undefined);
    } catch (error) {
      await this.#handler.fail(context.petstore.exchange, error);
    } finally {
      this.#load.leaveMiddleware();
    }
  }
}

function isUnanswered({ petstore, respond, res, status, body }: KoaContext): boolean {
  return (
    !petstore.isTaken && respond !== false && !res.headersSent && status === 404 && (body ?? undefined) === undefined
  );
}

/** Answers with an error that states its response, as Koa does: that of `ctx.throw(403, 'No entry.')`. */
function answeredAsStated(context: KoaContext, error: unknown): boolean {
  if (context.petstore.isTaken || context.res.headersSent || !(error instanceof Error)) return false;
  if (!('expose' in error && 'status' in error && typeof error.status === 'number')) return false;
  const title = error.status < 400 ? undefined : STATUS_CODES[error.status];
  if (title === undefined) return false;
  removeHeaders(context);
  if ('headers' in error) context.set({ ...(error.headers as Record<string, string>) });
  context.status = error.status;
  context.type = 'text';
  // http-errors exposes the message of a client error only.
  context.body = error.expose === true ? error.message : title;
  return true;
}

/** Removes what middleware has prepared for a response that does not come about. Returns the error. */
function failed(context: KoaContext, error: unknown): unknown {
  const { petstore, res } = context;
  context.respond = false;
  if (!res.headersSent) removeHeaders(context);
  // Middleware that writes to Node's response itself began one that nothing would end.
  else if (!petstore.isTaken && !res.writableEnded) petstore.exchange.abandon();
  return error;
}

function removeHeaders({ res }: KoaContext): void {
  for (const name of res.getHeaderNames()) res.removeHeader(name);
}

function addHeaders(context: KoaContext, fields: readonly string[]): void {
  const { res } = context;
  if (res.headersSent) return;
  for (let i = 0; i < fields.length; i += 2) {
    const [name, value] = [fields[i] as string, fields[i + 1] as string];
    if (name === 'Vary') context.vary(value);
    else if (!res.hasHeader(name)) res.setHeader(name, value);
  }
}
