import { join } from 'node:path';
import { expect } from 'chai';
import { randomFrom } from '../crash-recovery/customers.ts';
import { mayStopServers, PostgresServer, postgresServer } from '../support/postgres-server.ts';
import { latch } from '../support/promises.ts';
import { ReplicatedPostgres } from '../support/replicated-postgres.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';
import { holdFile, holdRows, leaveNoRoom } from './fault-injection.ts';
import { inspect, type Kept } from './inspection.ts';
import { ResponseRecorder } from './response-recorder.ts';
import { RoundRobin } from './round-robin.ts';
import { type Memory, openShop, runWorkload } from './workload.ts';

const CUT =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'petstore'";

interface Trial {
  readonly nodes: number;
  readonly people: number;
  readonly operations: number;
  readonly settings: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly memory: Memory;
  readonly responses: ResponseRecorder;
  readonly exitCodes: readonly (number | null)[];
}

/** Services, and a crowd that is at work at them while `meddle` does what it will. */
class Scenario {
  readonly responses = new ResponseRecorder();
  readonly #services: ServiceProcess[] = [];
  readonly #milestones: { readonly operation: number; readonly pass: () => void }[] = [];
  readonly #trial: Trial;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  get services(): readonly ServiceProcess[] {
    return this.#services;
  }

  async play(meddle: () => Promise<void>): Promise<Outcome> {
    const { nodes, people, operations, settings } = this.#trial;
    for (let node = 0; node < nodes; node++) this.#services.push(await ServiceProcess.start(settings));
    const clients = new RoundRobin(
      this.#services.map(({ url }) => url),
      this.responses.record,
    );
    const units = Math.ceil(operations / 30);
    await openShop(clients, units);

    let isOver = false;
    const meddling = meddle().finally(() => (isOver = true));
    const working = runWorkload(
      clients,
      { people, operations, units, random: randomFrom(5) },
      (done) => {
        for (const { operation, pass } of this.#milestones) if (done >= operation) pass();
      },
      () => isOver,
    );
    const [memory] = await Promise.all([working, meddling]);
    clients.close();
    const exitCodes = await Promise.all(this.#services.map((service) => service.stop()));
    return { memory, responses: this.responses, exitCodes };
  }

  /** Resolves when so much of the work is done: a part of 1. */
  async when(done: number): Promise<void> {
    const { opened, open } = latch();
    this.#milestones.push({ operation: done * this.#trial.operations, pass: open });
    await opened;
  }

  /** Resolves when another request was refused with 503. */
  async refusal(): Promise<void> {
    const before = this.responses.unavailable;
    await until(() => this.responses.unavailable > before);
  }

  /** What each service says of itself. */
  async health(page: 'live' | 'ready'): Promise<number[]> {
    return Promise.all(this.#services.map(async ({ url }) => (await fetch(`${url}/health/${page}`)).status));
  }

  /** Resolves when every service reports that it is not ready; requests may have been refused because of the load before that. */
  async outage(): Promise<void> {
    await until(async () => (await this.health('ready')).every((status) => status === 503));
  }

  async recovery(): Promise<void> {
    await until(async () => (await this.health('ready')).every((status) => status === 200));
  }

  async end(): Promise<void> {
    for (const service of this.#services) await service.kill();
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((turn) => setTimeout(turn, 5));
}

/** The store contains exactly what was acknowledged, everything was executed once, and no response was wrong. */
function mustBeRight({ memory, responses, exitCodes }: Outcome, { findings, orders }: Kept): void {
  expect(responses.faults).to.deep.equal([]);
  expect(memory.faults).to.deep.equal([]);
  expect(findings).to.deep.equal([]);
  expect(memory.refused, 'no order was refused').to.be.above(0);
  expect(new Set(exitCodes)).to.deep.equal(new Set([0]));
  expect(orders.size).to.equal(memory.orders.size);
  for (const [id, { petId, quantity, complete }] of memory.orders) {
    expect(orders.get(id), `order ${id}`).to.deep.equal({ petId, quantity, complete });
  }
}

describe('While a crowd is at work, services that are not restarted', () => {
  const folder = freshFolder();
  let scenario: Scenario | undefined;
  const set = (trial: Trial) => (scenario = new Scenario(trial));
  afterEach(async () => {
    await scenario?.end();
    scenario = undefined;
  });

  it('outlive their PostgreSQL, which is restarted and then crashes', async function () {
    if (!mayStopServers) this.skip();
    const server = new PostgresServer();
    const url = await server.makeStore();
    const played = set({ nodes: 2, people: 48, operations: 1_500, settings: { DATABASE_URL: url } });

    try {
      const outcome = await played.play(async () => {
        for (const [part, how] of [
          [0.2, 'fast'],
          [0.5, 'immediate'],
        ] as const) {
          await played.when(part);
          await server.stop(how);
          try {
            await played.outage();
            expect(await played.health('live')).to.deep.equal([200, 200]);
            await played.refusal();
          } finally {
            await server.start();
          }
          await played.recovery();
        }
      });

      mustBeRight(outcome, await inspect(url));
    } finally {
      await scenario?.end();
      await server.remove();
    }
  });

  it('go on with the standby that is promoted when their PostgreSQL is lost', async function () {
    if (!mayStopServers) this.skip();
    const servers = await ReplicatedPostgres.start();
    try {
      const played = set({ nodes: 2, people: 48, operations: 1_000, settings: { DATABASE_URL: servers.url } });

      const outcome = await played.play(async () => {
        await played.when(0.4);
        await servers.losePrimary();
        await played.outage();
        await played.refusal();
        await servers.promoteStandby();
        servers.moveAddress();
        await played.recovery();
      });

      mustBeRight(outcome, await inspect(servers.url));
    } finally {
      await scenario?.end();
      await servers.remove();
    }
  });

  it('do again what was under way when all of their connections to PostgreSQL were cut, again and again', async () => {
    const url = await postgresServer.makeStore();
    const played = set({ nodes: 2, people: 48, operations: 1_500, settings: { DATABASE_URL: url } });
    let cut = 0;

    const outcome = await played.play(async () => {
      for (let part = 0.05; part < 0.9; part += 0.05) {
        await played.when(part);
        cut += (await postgresServer.ask(url, CUT)).length;
      }
    });

    mustBeRight(outcome, await inspect(url));
    expect(cut).to.be.above(100);
  });

  it('let many wait for their only connection to PostgreSQL, and refuse those who wait too long', async () => {
    const url = await postgresServer.makeStore();
    const settings = { DATABASE_URL: url, PETSTORE_POSTGRES_POOL: '1', PETSTORE_OPERATION_TIMEOUT_MS: '3000' };
    const played = set({ nodes: 1, people: 96, operations: 1_000, settings });

    const outcome = await played.play(async () => {
      await played.when(0.3);
      const letGo = await holdRows(url);
      await played.refusal();
      expect((await fetch(`${played.services[0]?.url}/store/pets/1`)).status).to.equal(200);
      await letGo();
      await played.recovery();
    });

    mustBeRight(outcome, await inspect(url));
  });

  it('wait for a SQLite file that another process holds, and refuse after that', async () => {
    const file = join(folder(), 'petstore.db');
    const settings = {
      DATABASE_URL: `sqlite:${file}`,
      PETSTORE_SQLITE_SYNCHRONOUS: 'normal',
      PETSTORE_OPERATION_TIMEOUT_MS: '1000',
    };
    const played = set({ nodes: 1, people: 48, operations: 3_000, settings });

    const outcome = await played.play(async () => {
      await played.when(0.3);
      const letGo = await holdFile(file);
      await played.refusal();
      await played.outage();
      expect((await fetch(`${played.services[0]?.url}/store/pets/1`)).status).to.equal(200);
      await letGo();
      await played.recovery();
    });

    mustBeRight(outcome, await inspect(settings.DATABASE_URL));
  });

  it('read on while there is no room for the SQLite file, and write when there is', async function () {
    // Only Linux can take a process its room, and give it back.
    if (process.platform !== 'linux') this.skip();
    const file = join(folder(), 'petstore.db');
    const settings = { DATABASE_URL: `sqlite:${file}`, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' };
    const played = set({ nodes: 1, people: 48, operations: 3_000, settings });

    const outcome = await played.play(async () => {
      const [service] = played.services as [ServiceProcess];
      await played.when(0.3);
      const makeRoom = await leaveNoRoom(service.pid, [file, `${file}-wal`]);
      await played.refusal();
      await played.outage();
      expect((await fetch(`${service.url}/store/pets/1`)).status).to.equal(200);
      await makeRoom();
      await played.recovery();
    });

    mustBeRight(outcome, await inspect(settings.DATABASE_URL));
  });
});
