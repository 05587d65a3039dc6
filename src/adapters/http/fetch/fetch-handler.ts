import type { RequestHandler } from '../handler/request-handler.ts';
import { FetchExchange } from './fetch-exchange.ts';

export interface FetchOptions {
  /** The address of the client, which is limited where there is no credential; all requests without one share a limit. */
  readonly clientAddress?: string;
}

/** Answers a request as the service would over a connection. Rejects only if the client aborted it. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

/**
 * Serves the handler by the Fetch Standard: in tests, in service workers, behind other servers. It knows no connections, so the
 * `Host` rule, the limits of connections, headers and receiving time, and compression are left to what stands in front of it.
 */
export function fetchHandler(handler: RequestHandler): FetchHandler {
  return (request, { clientAddress = 'unknown' } = {}) => {
    const started = performance.now();
    const parts = handler.exchangeParts(request.headers.get('origin') ?? undefined);
    const exchange = new FetchExchange(request, clientAddress, parts);
    void answer(handler, exchange, started);
    return exchange.response;
  };
}

async function answer(handler: RequestHandler, exchange: FetchExchange, started: number): Promise<void> {
  try {
    const target = await handler.receive(exchange);
    const match = handler.index.find(exchange.request.method as string, target.path);
    if (match) await match.entry.serve({ exchange, target, params: match.params, started });
    else await handler.unmatched(exchange, target.path);
  } catch (error) {
    await handler.fail(exchange, error);
  }
}
