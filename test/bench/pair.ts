import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestsFor, WORK, type Work } from './requests.ts';
import { Server } from './server.ts';
import { auditShop, openShop } from './shop.ts';

/** The service and the floor, each on its own copy of one shop. */
export class Pair {
  readonly pets: number;
  readonly service: Server;
  readonly floor: Server;
  readonly #files: Files;

  private constructor(pets: number, service: Server, floor: Server, files: Files) {
    this.pets = pets;
    this.service = service;
    this.floor = floor;
    this.#files = files;
  }

  /** Makes a shop in the folder and starts both on it. `program` is the service's own start file. */
  static async open(pets: number, program: string, folder: string): Promise<Pair> {
    const files = { service: join(folder, `service-${pets}.db`), floor: join(folder, `floor-${pets}.db`) };
    await openShop(files.service, pets);
    await copyFile(files.service, files.floor);

    const environment = {
      DATABASE_URL: `sqlite:${files.service}`,
      HOST: '127.0.0.1',
      PORT: '0',
      PETSTORE_DEMO: 'off',
    };
    const service = await Server.start(
      ['--max-semi-space-size=4', program, 'serve'],
      environment,
      `${files.service}.log`,
    );
    const floor = await Server.start([FLOOR, '--file', files.floor], {}, `${files.floor}.log`);
    return new Pair(pets, service, floor, files);
  }

  /** Both must give the same answers before it means anything who is faster. Gives what differs. */
  async compare(): Promise<string[]> {
    const differences: string[] = [];
    for (const work of Object.keys(WORK) as Work[]) {
      for (const { path, method, headers = {}, body } of requestsFor(work, this.pets).slice(0, 20)) {
        const [service, floor] = await Promise.all(
          [this.service, this.floor].map(async ({ url }) => {
            const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
            return `${answer.status} ${await answer.text()}`;
          }),
        );
        if (service === floor) continue;
        differences.push(`${method} ${path} is answered differently:\n  service ${service}\n  floor   ${floor}`);
        break;
      }
    }
    return differences;
  }

  /** Ends both, has the service's own audit look over what each of them wrote, and gives what it found. */
  async close(): Promise<string[]> {
    await this.service.stop();
    await this.floor.stop();
    const broken: string[] = [];
    for (const [who, file] of Object.entries(this.#files)) {
      const { findings } = await auditShop(file);
      if (findings[0])
        broken.push(`The ${who} broke a rule of stock: pet ${findings[0].petId}, ${findings[0].message}.`);
      await rm(file);
    }
    return broken;
  }
}

interface Files {
  readonly service: string;
  readonly floor: string;
}

const FLOOR = fileURLToPath(new URL('floor.ts', import.meta.url));
