import type { Storage } from '../../../application/ports/storage.ts';
import type { StockRoom } from '../../../application/stock-room.ts';
import type { Admission } from '../handler/admission.ts';
import type { Exchange } from '../handler/exchange.ts';
import type { Load } from '../handler/load.ts';
import type { Metrics } from '../handler/metrics.ts';
import type { Page } from '../handler/page.ts';
import type { Readiness } from '../handler/readiness.ts';

/** Kept nowhere. */
const cacheControl = 'no-store';

/** What whoever operates the service looks at: is it alive, is it ready, what does it do. */
export function operatingPages(parts: {
  readonly storage: Storage;
  readonly stockRoom: StockRoom;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly admission: Admission;
  readonly load: Load;
}): Page[] {
  const { storage, stockRoom, metrics, readiness, admission, load } = parts;
  return [
    { path: '/health/live', cacheControl, show: (exchange) => sendStatus(exchange, 'live') },
    {
      path: '/health/ready',
      cacheControl,
      show: async (exchange) => {
        readiness.mustBeOpen();
        await storage.check();
        await sendStatus(exchange, 'ready');
      },
    },
    {
      path: '/metrics',
      cacheControl,
      // It tells how much is in the store, and who calls.
      scope: 'store:read',
      show: async (exchange) => {
        const summary = Object.entries(await stockRoom.summary());
        const byStatus = (fact: 'pets' | 'units') =>
          Object.fromEntries(summary.map(([status, share]) => [`status="${status}"`, share[fact]]));
        const text = metrics.print([
          { name: 'petstore_pets', help: 'Number of pets, by status.', values: byStatus('pets') },
          { name: 'petstore_units', help: 'Units on hand, by the status of the pet.', values: byStatus('units') },
          {
            name: 'petstore_http_requests_in_flight',
            help: 'Requests in progress.',
            values: { '': load.underWay },
          },
          {
            name: 'nodejs_eventloop_lag_seconds',
            help: 'Event-loop lag, in seconds.',
            values: { '': load.delay / 1000 },
          },
          {
            name: 'petstore_http_requests_shed_total',
            help: 'Requests rejected with 503 because the service was overloaded.',
            type: 'counter',
            values: { '': load.turnedAway },
          },
          {
            name: 'petstore_http_requests_rate_limited_total',
            help: 'Requests rejected with 429 by the rate limit.',
            type: 'counter',
            values: { '': admission.limited },
          },
          {
            name: 'process_resident_memory_bytes',
            help: 'Resident memory size, in bytes.',
            values: { '': process.memoryUsage.rss() },
          },
        ]);
        await exchange.send(200, [], text, 'text/plain; version=0.0.4; charset=utf-8');
      },
    },
  ];
}

function sendStatus(exchange: Exchange, status: string): void | Promise<void> {
  return exchange.send(200, [], JSON.stringify({ status }));
}
