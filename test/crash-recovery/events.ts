import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import { EventConsumer, type Way } from '../support/event-consumer.ts';
import { RandomChanges } from '../support/random-changes.ts';
import { ServiceClient } from '../support/service-client.ts';
import { ServiceProcess } from '../support/service-process.ts';
import type { StoreContents } from '../support/store-from-events.ts';
import { audit } from '../support/store-verifier.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

export interface EventsPlan {
  readonly way: Way;
  readonly databaseUrl: string;
  /** How many services use the database at the same time. */
  readonly services: number;
  /** How often services and the consumer are killed. */
  readonly rounds: number;
  readonly operations: number;
  readonly seed: number;
}

export interface EventsReport {
  readonly operations: number;
  readonly changes: number;
  readonly events: number;
  /** How many types of events there were. */
  readonly types: number;
  readonly duplicates: number;
  readonly kills: number;
  readonly consumerKills: number;
  readonly milliseconds: number;
  readonly faults: readonly string[];
}

const CLIENTS = 24;

/**
 * Runs services under random changes, and a consumer that reads nothing but their events; kills both without warning again and again;
 * and compares the store that the consumer computed with what the interface shows.
 */
export async function rebuildFromEvents(plan: EventsPlan): Promise<EventsReport> {
  const { way, databaseUrl, services, rounds, operations, seed } = plan;
  const begun = performance.now();
  const random = new SeededRandom(seed);
  const folder = await temporaryFolder();
  const start = () => ServiceProcess.start({ DATABASE_URL: databaseUrl, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' });
  const running: ServiceProcess[] = [];
  for (let service = 0; service < services; service++) running.push(await start());
  const consumer = new EventConsumer(folder, way);
  const changes = new RandomChanges(seed);
  const { faults } = changes;
  let kills = 0;
  let consumerKills = 0;
  const withClient = async (url: string, use: (client: ServiceClient) => Promise<void>) => {
    const client = new ServiceClient([url], { retry: false });
    await use(client);
    client.close();
    faults.push(...client.responses.faults);
  };
  try {
    await consumer.follow(running.map(({ url }) => url));
    consumer.start();
    await withClient((running[0] as ServiceProcess).url, (client) => changes.begin(client));
    for (let round = 1; round <= rounds + 1; round++) {
      // Nothing is killed in the last round.
      const isLast = round > rounds;
      const killed = isLast ? [] : running.filter(() => random.nextInt(2) === 0);
      if (killed.length === 0 && !isLast) killed.push(running[random.nextInt(services)] as ServiceProcess);
      const [first, last] = [changes.operations, Math.floor((operations * round) / (rounds + 1))];
      const killServices = async () => {
        await changes.reaches(last);
        await Promise.all(killed.map((service) => service.kill()));
        kills += killed.length;
      };
      const killConsumer = async () => {
        await changes.reaches(first + 1 + random.nextInt(last - first));
        if (!consumer.isRunning) faults.push('the consumer failed');
        await consumer.kill();
        consumer.start();
        consumerKills += 1;
      };
      await Promise.all([
        killServices(),
        ...(isLast ? [] : [killConsumer()]),
        ...running.map((service) =>
          withClient(service.url, (client) =>
            changes.run(client, CLIENTS, () => changes.operations >= last && !killed.includes(service)),
          ),
        ),
      ]);
      for (const service of killed) running[running.indexOf(service)] = await start();
      await consumer.follow(running.map(({ url }) => url));
    }
    const { url } = running[0] as ServiceProcess;
    if ((await consumer.finish(await lastPositionAt(url))) !== 0) faults.push('the consumer failed');
    const shown = await contentsShownBy(url);
    for (const service of running) if ((await service.stop()) !== 0) faults.push('the service did not exit with 0');

    const store = await consumer.store();
    faults.push(...store.faults, ...differencesBetween(store.contents, shown), ...(await audit(databaseUrl)));
    return {
      operations: changes.operations,
      changes: changes.changes,
      events: store.events,
      types: store.received.size,
      duplicates: store.duplicates,
      kills,
      consumerKills,
      milliseconds: performance.now() - begun,
      faults,
    };
  } finally {
    await consumer.kill();
    for (const service of running) await service.kill();
    await removeFolder(folder);
  }
}

async function lastPositionAt(url: string): Promise<number> {
  const { headers } = await fetch(`${url}/store/events?limit=1`);
  return Number(headers.get('Petstore-Event-Position'));
}

async function contentsShownBy(url: string): Promise<StoreContents> {
  const listOf = async (path: string) => {
    const rows: unknown[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await fetch(new URL(next, url));
      rows.push(...((await response.json()) as unknown[]));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    }
    return rows;
  };
  return {
    categories: await listOf('/categories?sort=id&limit=100'),
    pets: await listOf('/pets?sort=id&limit=100'),
    orders: await listOf('/store/orders?sort=id&limit=100'),
    inventory: await listOf('/store/inventory?sort=petId&limit=100'),
  };
}

/** Both have their resources in ascending order of ids. */
function differencesBetween(computed: StoreContents, shown: StoreContents): string[] {
  return (Object.keys(shown) as (keyof StoreContents)[]).flatMap((kind) =>
    Array.from({ length: Math.max(computed[kind].length, shown[kind].length) }, (_, index) => {
      const [events, api] = [computed[kind][index], shown[kind][index]];
      if (isDeepStrictEqual(events, api)) return [];
      return [`${kind}: ${JSON.stringify(events)} by the events, ${JSON.stringify(api)} by the interface`];
    }).flat(),
  );
}
