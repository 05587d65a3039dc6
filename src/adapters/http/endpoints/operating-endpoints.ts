import type { Storage } from '../../../application/ports/storage.ts';
import type { StockRoom } from '../../../application/stock-room.ts';
import type { EventStreams } from '../handler/event-streams.ts';
import type { Exchange } from '../handler/exchange.ts';
import type { HttpAccess } from '../handler/http-access.ts';
import type { LoadShedder } from '../handler/load-shedder.ts';
import type { Metrics } from '../handler/metrics.ts';
import type { Readiness } from '../handler/readiness.ts';
import type { ServiceEndpoint } from '../handler/service-endpoint.ts';

/** Not stored by any cache. */
const cacheControl = 'no-store';

/** For operators: liveness, readiness and metrics. */
export function operatingPages(parts: {
  readonly storage: Storage;
  readonly stockRoom: StockRoom;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly access: HttpAccess;
  readonly load: LoadShedder;
  readonly streams: EventStreams;
}): ServiceEndpoint[] {
  const { storage, stockRoom, metrics, readiness, access, load, streams } = parts;
  return [
    { path: '/health/live', cacheControl, serve: (exchange) => sendStatus(exchange, 'live') },
    {
      path: '/health/ready',
      cacheControl,
      serve: async (exchange) => {
        readiness.assertOpen();
        await storage.check();
        await sendStatus(exchange, 'ready');
      },
    },
    {
      path: '/metrics',
      cacheControl,
      // It contains the size of the stock and the names of callers.
      scope: 'store:read',
      serve: async (exchange) => {
        const summary = Object.entries(await stockRoom.summary());
        const byStatus = (fact: 'pets' | 'units') =>
          Object.fromEntries(summary.map(([status, share]) => [`status="${status}"`, share[fact]]));
        const text = metrics.print([
          { name: 'petstore_pets', help: 'Number of pets, by status.', values: byStatus('pets') },
          { name: 'petstore_units', help: 'Units on hand, by the status of the pet.', values: byStatus('units') },
          {
            name: 'petstore_http_requests_in_flight',
            help: 'Requests in progress.',
            values: { '': load.requestsInFlight },
          },
          { name: 'petstore_event_streams', help: 'Open event streams.', values: { '': streams.count } },
          {
            name: 'nodejs_eventloop_lag_seconds',
            help: 'Event-loop lag, in seconds.',
            values: { '': load.eventLoopLag / 1000 },
          },
          {
            name: 'petstore_http_requests_shed_total',
            help: 'Requests rejected with 503 because the service was overloaded.',
            type: 'counter',
            values: { '': load.shed },
          },
          {
            name: 'petstore_http_requests_rate_limited_total',
            help: 'Requests rejected with 429 by the rate limit.',
            type: 'counter',
            values: { '': access.limited },
          },
          ...processGauges(),
        ]);
        await exchange.send(200, [], text, 'text/plain; version=0.0.4; charset=utf-8');
      },
    },
  ];
}

function sendStatus(exchange: Exchange, status: string): void | Promise<void> {
  return exchange.send(200, [], JSON.stringify({ status }));
}

/** A browser does not report the memory of a page. */
function processGauges() {
  if (typeof process === 'undefined') return [];
  const values = { '': process.memoryUsage.rss() };
  return [{ name: 'process_resident_memory_bytes', help: 'Resident memory size, in bytes.', values }];
}
