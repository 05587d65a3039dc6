import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { atEndOfRun, mochaGlobalTeardown } from '../support/run-fixtures.ts';
import { ServiceClient } from '../support/service-client.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { contradictionsIn } from '../support/store-verifier.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { Knowledge, Workload } from '../support/workload.ts';
import { rebuildFromEvents } from './events.ts';

export interface CrashPlan {
  /** How many services use the file at the same time. */
  readonly services: 1 | 2;
  /** How often one of them is killed, at least. */
  readonly rounds: number;
  /** How many orders are acknowledged in all, at least. */
  readonly orders: number;
  readonly seed: number;
}

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many orders and changes were without a response when their service was killed. */
  readonly doubtful: number;
  readonly unavailable: number;
  readonly milliseconds: number;
  readonly faults: readonly string[];
}

const CLIENTS = 24;

/**
 * Runs services on a file under a workload, kills them without warning at some moment, compares the file with what the
 * clients know, starts the services again, and so on.
 */
export async function crash({ services, rounds, orders, seed }: CrashPlan): Promise<CrashReport> {
  const begun = performance.now();
  const random = new SeededRandom(seed);
  const folder = await temporaryFolder();
  const file = join(folder, 'petstore.db');
  const start = () => ServiceProcess.start({ DATABASE_URL: `sqlite:${file}`, PETSTORE_LOG_LEVEL: 'info' });
  const running = await Promise.all(Array.from({ length: services }, start));
  const workload = new Workload({ units: 1_000_000, seed });
  const { knowledge, faults } = workload;
  const inspect = async (path: string, known: Knowledge) =>
    faults.push(...(await contradictionsIn(`sqlite:${path}`, known)));
  let kills = 0;
  let doubtful = 0;
  let unavailable = 0;
  const withClient = async (url: string, use: (client: ServiceClient) => Promise<void>) => {
    const client = new ServiceClient([url], { retry: false });
    await use(client);
    client.close();
    unavailable += client.responses.unavailable;
    faults.push(...client.responses.faults);
  };
  try {
    await withClient((running[0] as ServiceProcess).url, (client) => workload.createPets(client));
    while (faults.length === 0 && (kills < rounds || workload.placed < orders)) {
      const killed = running.filter(() => random.nextInt(10) < 6);
      if (killed.length === 0) killed.push(running[0] as ServiceProcess);
      const last = workload.placed + 20 + random.nextInt((2 * orders) / rounds);
      const isOver = () => workload.placed >= last;

      const working = running.map((service) =>
        withClient(service.url, (client) => workload.run(client, CLIENTS, () => isOver() && !killed.includes(service))),
      );
      const killing = workload.reaches(isOver).then(async () => {
        for (let turns = random.nextInt(30); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(killed.map((service) => service.kill()));
      });
      await Promise.all([...working, killing]);
      kills += killed.length;
      doubtful += knowledge.doubtfulOrders.size + knowledge.doubtfulChanges.size;

      // Once as the crash left the file, in a copy, because a service that starts repairs it; once after that start. A commit
      // that was written but not published when its service died is in the copy, and not in what a survivor sees: where there
      // is a survivor, the copy settles no doubts.
      const survived = killed.length < running.length;
      await inspect(await copyOf(file), survived ? new Knowledge(knowledge) : knowledge);
      for (const service of killed) running[running.indexOf(service)] = await start();
      await inspect(file, knowledge);
    }
    for (const service of running) if ((await service.stop()) !== 0) faults.push('the service did not exit with 0');
    await inspect(file, knowledge);
  } finally {
    for (const service of running) await service.kill();
    await removeFolder(folder);
  }
  return {
    kills,
    acknowledged: workload.placed,
    doubtful,
    unavailable,
    milliseconds: performance.now() - begun,
    faults,
  };
}

/** A copy of the file, with its write-ahead log. */
async function copyOf(file: string): Promise<string> {
  const copy = `${file}-copy`;
  await rm(`${copy}-wal`, { force: true });
  await copyFile(file, copy);
  if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
  return copy;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { events: { type: 'boolean' } }, allowPositionals: true });
  const [rounds = 24, count, seed = Date.now() % 1_000_000] = positionals.map(Number);
  const report = (name: string, { faults, ...figures }: { readonly faults: readonly string[] }) => {
    console.log(`${name}, seed ${seed}:`, figures);
    for (const fault of faults) console.log(fault);
    if (faults.length > 0) process.exitCode = 1;
  };
  if (values.events) {
    for (const { name, ...plan } of await eventsPlans()) {
      report(name, await rebuildFromEvents({ ...plan, rounds, operations: count ?? 10_000, seed }));
    }
    await mochaGlobalTeardown();
  } else {
    for (const services of [1, 2] as const) {
      report(`${services} service(s)`, await crash({ services, rounds, orders: count ?? 20_000, seed }));
    }
  }
}

async function eventsPlans() {
  const folder = await temporaryFolder();
  atEndOfRun(() => removeFolder(folder));
  const plans = (['pages', 'stream'] as const).map(async (way) => [
    { name: `1 service on SQLite, ${way}`, way, services: 1, databaseUrl: `sqlite:${join(folder, way)}.db` },
    { name: `3 services on PostgreSQL, ${way}`, way, services: 3, databaseUrl: await postgresServer.makeStore() },
  ]);
  return (await Promise.all(plans)).flat();
}
