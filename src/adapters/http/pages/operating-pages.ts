import type { Storage } from '../../../application/ports/storage.ts';
import type { StockRoom } from '../../../application/stock-room.ts';
import type { Exchange } from '../engine/exchange.ts';
import type { Metrics } from '../engine/metrics.ts';
import type { Page } from '../engine/page.ts';
import type { Readiness } from '../engine/readiness.ts';

const FRESH = ['Cache-Control', 'no-store'];

/** What whoever operates the service looks at: is it alive, is it ready, what does it do. */
export function operatingPages(parts: {
  readonly storage: Storage;
  readonly stockRoom: StockRoom;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}): Page[] {
  const { storage, stockRoom, metrics, readiness } = parts;
  return [
    { path: '/health/live', show: (exchange) => sendStatus(exchange, 'live') },
    {
      path: '/health/ready',
      show: async (exchange) => {
        readiness.mustBeOpen();
        await storage.check();
        sendStatus(exchange, 'ready');
      },
    },
    {
      path: '/metrics',
      show: async (exchange) => {
        const summary = Object.entries(await stockRoom.summary());
        const byStatus = (fact: 'pets' | 'units') =>
          Object.fromEntries(summary.map(([status, share]) => [`status="${status}"`, share[fact]]));
        const text = metrics.print([
          { name: 'petstore_pets', help: 'Pets, by the status that they show.', values: byStatus('pets') },
          { name: 'petstore_units', help: 'Units on hand, by the status of their pet.', values: byStatus('units') },
          {
            name: 'process_resident_memory_bytes',
            help: 'Resident memory.',
            values: { '': process.memoryUsage.rss() },
          },
        ]);
        exchange.send(200, FRESH, text, 'text/plain; version=0.0.4; charset=utf-8');
      },
    },
  ];
}

function sendStatus(exchange: Exchange, status: string): void {
  exchange.send(200, FRESH, JSON.stringify({ status }));
}
