import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from '../support/service-process.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, Customers, randomFrom } from './customers.ts';
import { inspect } from './inspection.ts';

export interface CrashPlan {
  /** How many services work on the file at the same time. */
  readonly services: 1 | 2;
  /** How often one of them is killed, at least. */
  readonly rounds: number;
  /** How many orders are acknowledged before it is over, at least. */
  readonly orders: number;
  readonly seed: number;
}

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many requests were under way when their service was killed. */
  readonly doubtful: number;
  readonly unavailable: number;
  readonly milliseconds: number;
  readonly faults: readonly string[];
}

const CROWD = 24;
const PETS = 8;

/**
 * Runs the service on a file, lets a crowd order, kills it without a warning at some moment, looks whether the file keeps
 * what the crowd was told, starts the service again, and so on.
 */
export async function crash({ services, rounds, orders, seed }: CrashPlan): Promise<CrashReport> {
  const begun = performance.now();
  const random = randomFrom(seed);
  const folder = await temporaryFolder();
  const file = join(folder, 'petstore.db');
  const start = () => ServiceProcess.start({ DATABASE_URL: `sqlite:${file}`, PETSTORE_LOG_LEVEL: 'info' });
  const running = await Promise.all(Array.from({ length: services }, start));
  const customers = new Customers(await openShop((running[0] as ServiceProcess).url), random);
  const faults: string[] = [];
  let kills = 0;
  let doubtful = 0;
  try {
    while (faults.length === 0 && (kills < rounds || customers.acknowledged < orders)) {
      const doomed = running.filter(() => random() < 0.6);
      if (doomed.length === 0) doomed.push(running[0] as ServiceProcess);
      const last = customers.acknowledged + 20 + Math.floor(random() * ((2 * orders) / rounds));
      const isOver = () => customers.acknowledged >= last;

      const ordering = running.map((service) =>
        customers.order(service.url, CROWD, () => isOver() && !doomed.includes(service)),
      );
      const killing = customers.told(last).then(async () => {
        for (let turns = random() * 30; turns > 0; turns--) await new Promise((turn) => setImmediate(turn));
        await Promise.all(doomed.map((service) => service.kill()));
      });
      await Promise.all([...ordering, killing]);
      kills += doomed.length;
      doubtful += customers.doubtfulOrders.size + customers.doubtfulChanges.size;

      // Once as the crash left it, in a copy, so that the service finds what a crash leaves; once with the service back.
      // A commit that was written but not published when its service died is in the copy, and not in what a survivor sees:
      // where there is one, the copy settles no doubts.
      const survived = doomed.length < running.length;
      faults.push(...(await inspect(await copyOf(file), survived ? customers.copyOfKnowledge() : customers)));
      for (const service of doomed) running[running.indexOf(service)] = await start();
      faults.push(...(await inspect(file, customers)));
    }
    for (const service of running) if ((await service.stop()) !== 0) faults.push('the service did not end well');
    faults.push(...(await inspect(file, customers)));
  } finally {
    for (const service of running) await service.kill();
    await removeFolder(folder);
  }
  const { acknowledged, unavailable } = customers;
  return { kills, acknowledged, doubtful, unavailable, milliseconds: performance.now() - begun, faults };
}

/** A category and some pets with more units than anybody will order. Gives the pets. */
async function openShop(url: string): Promise<number[]> {
  await ask(url, undefined, 'POST', '/categories', { name: 'Dogs' });
  const pets: number[] = [];
  for (let id = 1; id <= PETS; id++) {
    await ask(url, undefined, 'POST', '/pets', { name: `Dog ${id}`, categoryId: 1 });
    const answer = await ask(url, undefined, 'PUT', `/store/inventory/${id}`, { quantity: 1_000_000 });
    if (answer?.status !== 200) throw new Error(`The shop could not be opened: ${JSON.stringify(answer)}`);
    pets.push(id);
  }
  return pets;
}

/** The file as it stands, with what is written ahead of it. */
async function copyOf(file: string): Promise<string> {
  const copy = `${file}-copy`;
  await rm(`${copy}-wal`, { force: true });
  await copyFile(file, copy);
  if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
  return copy;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rounds = 24, orders = 20_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
  for (const services of [1, 2] as const) {
    const { faults, ...report } = await crash({ services, rounds, orders, seed });
    console.log(`${services} service(s), seed ${seed}:`, report);
    for (const fault of faults) console.log(fault);
    if (faults.length > 0) process.exitCode = 1;
  }
}
