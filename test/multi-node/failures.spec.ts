import { join } from 'node:path';
import { expect } from 'chai';
import { mayStopServers, PostgresServer, postgresServer } from '../support/postgres-server.ts';
import { ReplicatedPostgres } from '../support/replicated-postgres.ts';
import { ServiceClient } from '../support/service-client.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { contradictionsIn } from '../support/store-verifier.ts';
import { freshFolder } from '../support/temporary.ts';
import { Workload } from '../support/workload.ts';
import { holdFile, holdRows, leaveNoRoom } from './fault-injection.ts';

const CUT =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'petstore'";

const CLIENTS = 48;

interface Trial {
  readonly nodes: number;
  readonly clients?: number;
  readonly operations: number;
  readonly settings: Readonly<Record<string, string>> & { readonly DATABASE_URL: string };
}

/** Services under a workload while `interfere` injects faults. */
class Scenario {
  readonly services: ServiceProcess[] = [];
  readonly #trial: Trial;
  readonly #workload: Workload;
  #client: ServiceClient | undefined;

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#workload = new Workload({ units: Math.ceil(trial.operations / 30), seed: 5 });
  }

  /** Every response was correct, every service exits with 0, and the store has exactly what was acknowledged. */
  async play(interfere: () => Promise<void>): Promise<void> {
    const { nodes, clients = CLIENTS, operations, settings } = this.#trial;
    for (let node = 0; node < nodes; node++) this.services.push(await ServiceProcess.start(settings));
    const client = new ServiceClient(
      this.services.map(({ url }) => url),
      { retry: true },
    );
    this.#client = client;
    const workload = this.#workload;
    await workload.createPets(client);

    let isOver = false;
    await Promise.all([
      workload.run(client, clients, () => isOver && workload.operations >= operations),
      interfere().finally(() => (isOver = true)),
    ]);
    client.close();
    const exitCodes = await Promise.all(this.services.map((service) => service.stop()));

    expect(client.responses).to.deep.include({ faults: [], unanswered: 0 });
    expect(workload.faults).to.deep.equal([]);
    expect(workload.refused, 'orders beyond the stock').to.be.above(0);
    expect(new Set(exitCodes)).to.deep.equal(new Set([0]));
    expect(await contradictionsIn(settings.DATABASE_URL, workload.knowledge)).to.deep.equal([]);
  }

  /** Resolves when this share of the operations has been executed. */
  async when(share: number): Promise<void> {
    await this.#workload.reaches(() => this.#workload.operations >= share * this.#trial.operations);
  }

  /** Resolves when another response says that the storage is unavailable. */
  async refusal(): Promise<void> {
    const before = this.#client?.responses.unavailable ?? 0;
    await until(() => (this.#client?.responses.unavailable ?? 0) > before);
  }

  async health(page: 'live' | 'ready'): Promise<number[]> {
    return Promise.all(this.services.map(async ({ url }) => (await fetch(`${url}/health/${page}`)).status));
  }

  /** Resolves when no service is ready. Before that, a request may be refused because of the load alone. */
  async outage(): Promise<void> {
    await until(async () => (await this.health('ready')).every((status) => status === 503));
  }

  async recovery(): Promise<void> {
    await until(async () => (await this.health('ready')).every((status) => status === 200));
  }

  async end(): Promise<void> {
    for (const service of this.services) await service.kill();
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('Services under load, which are not restarted,', () => {
  const folder = freshFolder();
  let current: Scenario | undefined;
  const set = (trial: Trial) => (current = new Scenario(trial));
  afterEach(() => current?.end());

  it('survive a restart and a crash of their PostgreSQL', async function () {
    if (!mayStopServers) this.skip();
    const server = new PostgresServer();
    const url = await server.makeStore();
    const scenario = set({ nodes: 2, operations: 1_500, settings: { DATABASE_URL: url } });

    try {
      await scenario.play(async () => {
        for (const [part, how] of [
          [0.2, 'fast'],
          [0.5, 'immediate'],
        ] as const) {
          await scenario.when(part);
          await server.stop(how);
          try {
            await scenario.outage();
            expect(await scenario.health('live')).to.deep.equal([200, 200]);
            await scenario.refusal();
          } finally {
            await server.start();
          }
          await scenario.recovery();
        }
      });
    } finally {
      await current?.end();
      await server.remove();
    }
  });

  it('continue on the promoted standby when their PostgreSQL is lost', async function () {
    if (!mayStopServers) this.skip();
    const servers = await ReplicatedPostgres.start();
    try {
      const scenario = set({ nodes: 2, operations: 1_000, settings: { DATABASE_URL: servers.url } });

      await scenario.play(async () => {
        await scenario.when(0.4);
        await servers.losePrimary();
        await scenario.outage();
        await scenario.refusal();
        await servers.promoteStandby();
        servers.moveAddress();
        await scenario.recovery();
      });
    } finally {
      await current?.end();
      await servers.remove();
    }
  });

  it('execute interrupted requests again when all connections to PostgreSQL are cut repeatedly', async () => {
    const url = await postgresServer.makeStore();
    const scenario = set({ nodes: 2, operations: 1_500, settings: { DATABASE_URL: url } });
    let cut = 0;

    await scenario.play(async () => {
      for (let part = 0.05; part < 0.9; part += 0.05) {
        await scenario.when(part);
        cut += (await postgresServer.ask(url, CUT)).length;
      }
    });

    expect(cut).to.be.above(100);
  });

  it('queue requests for their only connection to PostgreSQL, and refuse those that wait too long', async () => {
    const url = await postgresServer.makeStore();
    const settings = { DATABASE_URL: url, PETSTORE_POSTGRES_POOL: '1', PETSTORE_OPERATION_TIMEOUT_MS: '3000' };
    const scenario = set({ nodes: 1, clients: 96, operations: 1_000, settings });

    await scenario.play(async () => {
      await scenario.when(0.3);
      const release = await holdRows(url);
      await scenario.refusal();
      expect((await fetch(`${scenario.services[0]?.url}/store/pets/1`)).status).to.equal(200);
      await release();
      await scenario.recovery();
    });
  });

  it('wait for a SQLite file that another process has locked, and refuse requests after the time limit', async () => {
    const file = join(folder(), 'petstore.db');
    const settings = {
      DATABASE_URL: `sqlite:${file}`,
      PETSTORE_SQLITE_SYNCHRONOUS: 'normal',
      PETSTORE_OPERATION_TIMEOUT_MS: '1000',
    };
    const scenario = set({ nodes: 1, operations: 3_000, settings });

    await scenario.play(async () => {
      await scenario.when(0.3);
      const release = await holdFile(file);
      await scenario.refusal();
      await scenario.outage();
      expect((await fetch(`${scenario.services[0]?.url}/store/pets/1`)).status).to.equal(200);
      await release();
      await scenario.recovery();
    });
  });

  it('continue to read while there is no disk space for the SQLite file, and write when there is', async function () {
    // Only Linux can reduce the memory of a running process, and restore it.
    if (process.platform !== 'linux') this.skip();
    const file = join(folder(), 'petstore.db');
    const settings = { DATABASE_URL: `sqlite:${file}`, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' };
    const scenario = set({ nodes: 1, operations: 3_000, settings });

    await scenario.play(async () => {
      const [service] = scenario.services as [ServiceProcess];
      await scenario.when(0.3);
      const makeRoom = await leaveNoRoom(service.pid, [file, `${file}-wal`]);
      await scenario.refusal();
      await scenario.outage();
      expect((await fetch(`${service.url}/store/pets/1`)).status).to.equal(200);
      await makeRoom();
      await scenario.recovery();
    });
  });
});
