import type { Storage } from '../../../application/ports/storage.ts';
import type { StockRoom } from '../../../application/stock-room.ts';
import type { Admission } from '../engine/admission.ts';
import type { Exchange } from '../engine/exchange.ts';
import type { Load } from '../engine/load.ts';
import type { Metrics } from '../engine/metrics.ts';
import type { Page } from '../engine/page.ts';
import type { Readiness } from '../engine/readiness.ts';

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
          { name: 'petstore_pets', help: 'Pets, by the status that they show.', values: byStatus('pets') },
          { name: 'petstore_units', help: 'Units on hand, by the status of their pet.', values: byStatus('units') },
          {
            name: 'petstore_requests_under_way',
            help: 'Requests that are being worked on.',
            values: { '': load.underWay },
          },
          {
            name: 'petstore_delay_seconds',
            help: 'How late the process was lately with what it has to do.',
            values: { '': load.delay / 1000 },
          },
          {
            name: 'petstore_turned_away_total',
            help: 'Requests that were answered with 503 because there was too much to do.',
            type: 'counter',
            values: { '': load.turnedAway },
          },
          {
            name: 'petstore_rate_limited_total',
            help: 'Requests that were answered with 429.',
            type: 'counter',
            values: { '': admission.limited },
          },
          {
            name: 'process_resident_memory_bytes',
            help: 'Resident memory.',
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
