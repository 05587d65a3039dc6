import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestsFor, WORK, type Work } from './requests.ts';
import { Server } from './server.ts';
import { auditShop, issueKey, openShop } from './shop.ts';

/** Who is measured beside the service: the least that does its work, and itself with credentials and limits. */
export type Rival = 'floor' | 'guarded';
export type Who = 'service' | Rival;

/** What `npm start` tells Node. */
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=50'];

/** Limits that count every request twice, as the default ones do, and refuse nobody. */
export const LIMITS = { PETSTORE_RATE_PER_MINUTE: '1000000000', PETSTORE_RATE_BURST: '166666666' } as const;

export interface Entrant {
  readonly who: Who;
  readonly server: Server;
  /** Its own copy of the shop. */
  readonly file: string;
  /** What every request to it carries. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The service and its rivals, each on its own copy of one shop. */
export class Contest {
  readonly pets: number;
  readonly service: Entrant;
  /** The service and its rivals. */
  readonly entrants: readonly Entrant[];

  private constructor(pets: number, service: Entrant, rivals: readonly Entrant[]) {
    this.pets = pets;
    this.service = service;
    this.entrants = [service, ...rivals];
  }

  /** Makes a shop in the folder and starts everybody on it. `program` is the service's own start file. */
  static async open(pets: number, program: string, folder: string, rivals: readonly Rival[]): Promise<Contest> {
    const fileOf = (who: Who) => join(folder, `${who}-${pets}.db`);
    await openShop(fileOf('service'), pets);
    for (const rival of rivals) await copyFile(fileOf('service'), fileOf(rival));

    const service = await start('service', fileOf('service'), program);
    const others: Entrant[] = [];
    for (const rival of rivals) others.push(await start(rival, fileOf(rival), program));
    return new Contest(pets, service, others);
  }

  /** All must give the same answers before it means anything who is faster. Gives what is not as it must be. */
  async compare(): Promise<string[]> {
    const differences: string[] = [];
    for (const work of Object.keys(WORK) as Work[]) {
      for (const { path, method, headers, body } of requestsFor(work, this.pets).slice(0, 20)) {
        const answers = await Promise.all(
          this.entrants.map(async ({ server, headers: own }) => {
            const init = { method, headers: { ...headers, ...own }, ...(body !== undefined && { body }) };
            const answer = await fetch(server.url + path, init);
            return `${answer.status} ${await answer.text()}`;
          }),
        );
        if (new Set(answers).size === 1) continue;
        const told = answers.map((answer, i) => `\n  ${this.entrants[i]?.who.padEnd(7)} ${answer}`);
        differences.push(`${method} ${path} is answered differently:${told.join('')}`);
        break;
      }
    }
    return [...differences, ...(await this.#unguarded())];
  }

  /** Ends all, has the service's own audit look over what each of them wrote, and gives what it found. */
  async close(): Promise<string[]> {
    for (const { server } of this.entrants) await server.stop();
    const broken: string[] = [];
    for (const { who, file } of this.entrants) {
      const { findings } = await auditShop(file);
      if (findings[0])
        broken.push(`The ${who} broke a rule of stock: pet ${findings[0].petId}, ${findings[0].message}.`);
      await rm(file);
    }
    return broken;
  }

  /** A guard that lets everybody in, or counts nobody, would look as fast as none. */
  async #unguarded(): Promise<string[]> {
    const guarded = this.entrants.find(({ who }) => who === 'guarded');
    if (!guarded) return [];
    const { status, headers } = await fetch(`${guarded.server.url}/store/pets/1`);
    const complaints: string[] = [];
    if (status !== 401) complaints.push(`The guarded service answers ${status} to who shows no key.`);
    if (!headers.has('ratelimit')) complaints.push('The guarded service does not count requests.');
    return complaints;
  }
}

async function start(who: Who, file: string, program: string): Promise<Entrant> {
  const log = `${file}.log`;
  if (who === 'floor') {
    return { who, file, server: await Server.start([FLOOR, '--file', file], {}, log), headers: {} };
  }
  const serve = [...FLAGS, program, 'serve'];
  const environment = { DATABASE_URL: `sqlite:${file}`, HOST: '127.0.0.1', PORT: '0', PETSTORE_DEMO: 'off' };
  if (who === 'service') {
    const server = await Server.start(serve, { ...environment, PETSTORE_AUTH: 'open' }, log);
    return { who, file, server, headers: {} };
  }
  const headers = { authorization: `Bearer ${await issueKey(file)}` };
  const server = await Server.start(serve, { ...environment, PETSTORE_AUTH: 'api-key', ...LIMITS }, log);
  return { who, file, server, headers };
}

const FLOOR = fileURLToPath(new URL('floor.ts', import.meta.url));
