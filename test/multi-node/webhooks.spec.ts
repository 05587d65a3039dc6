import { join } from 'node:path';
import { expect } from 'chai';
import { LEASE_MS } from '../../src/application/webhook-courier.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const WEBHOOKS = 4;
const PETS = 10;
const CHANGES = 300;
/** After so many messages to one webhook, its receiver does not respond for a while. */
const HELD_AFTER = 20;

interface Message {
  readonly id: string;
  readonly subject: string;
  readonly data: { readonly name: string };
}

/** Records what each webhook receives, and whether ever two messages to one webhook were in progress at once. */
class Recorder {
  readonly overlaps: string[] = [];
  readonly #messages = new Map<string, Message[]>();
  readonly #inProgress = new Set<string>();
  #holds: boolean;

  constructor(receiver: WebhookReceiver, { holds }: { readonly holds: boolean }) {
    this.#holds = holds;
    receiver.respond = (response, { path, body }) => {
      if (this.#inProgress.has(path)) this.overlaps.push(`${path}: ${body}`);
      this.#inProgress.add(path);
      response.once('close', () => this.#inProgress.delete(path));
      const messages = this.#messages.get(path) ?? [];
      this.#messages.set(path, [...messages, JSON.parse(body) as Message]);
      if (!this.#holds || messages.length < HELD_AFTER) setTimeout(() => response.writeHead(204).end(), 2);
    };
  }

  /** From now on every message has a response. Those that had none stay without one. */
  release(): void {
    this.#holds = false;
  }

  /** The messages to each webhook, each event once. */
  get distinct(): Message[][] {
    return Array.from(this.#messages.values(), (all) => [...new Map(all.map((each) => [each.id, each])).values()]);
  }

  get duplicates(): number {
    return [...this.#messages.values()].flat().length - this.distinct.flat().length;
  }
}

describe('Webhooks of services that share a store', () => {
  const folder = freshFolder();
  const running: ServiceProcess[] = [];
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    await receiver.close();
  });

  const start = async (databaseUrl: string) => {
    const service = await ServiceProcess.start({
      DATABASE_URL: databaseUrl,
      PETSTORE_SQLITE_SYNCHRONOUS: 'normal',
      PETSTORE_WEBHOOKS_ALLOW_PRIVATE: 'on',
    });
    running.push(service);
    return service;
  };
  const prepare = async ({ url }: ServiceProcess) => {
    for (let i = 0; i < WEBHOOKS; i++) {
      const types = ['petstore.pet.created', 'petstore.pet.updated'];
      await send(url, 'POST', '/store/webhooks', { url: `${receiver.url}/${i}`, types });
    }
    await send(url, 'POST', '/categories', { name: 'Dogs' });
    for (let i = 0; i < PETS; i++) await send(url, 'POST', '/pets', { name: 'Rex', categoryId: 1 });
  };
  const receivedAll = async (recorder: Recorder) => {
    const all = WEBHOOKS * (PETS + CHANGES);
    while (recorder.distinct.flat().length < all) await receiver.count(receiver.received.length + 1);
  };
  const expectInOrder = ({ distinct, overlaps }: Recorder) => {
    expect(overlaps).to.deep.equal([]);
    for (const messages of distinct) {
      expect(namesByPet(messages)).to.deep.equal(expectedNames());
    }
  };

  it('receive each event once, one message at a time', async () => {
    const databaseUrl = await postgresServer.makeStore();
    const services = [await start(databaseUrl), await start(databaseUrl)] as const;
    const recorder = new Recorder(receiver, { holds: false });
    await prepare(services[0]);
    await rename(services, 0, CHANGES);
    await receivedAll(recorder);

    expectInOrder(recorder);
    expect(recorder.duplicates).to.equal(0);
  });

  it('are left to a service while it delivers, and continue with the other one when it is killed', async () => {
    const databaseUrl = await postgresServer.makeStore();
    const delivering = await start(databaseUrl);
    const recorder = new Recorder(receiver, { holds: true });
    await prepare(delivering);
    await rename([delivering], 0, CHANGES / 3);
    await receiver.count(WEBHOOKS * (HELD_AFTER + 1));
    const leases = await leasesOf(databaseUrl);
    const other = await start(databaseUrl);
    await rename([delivering, other], CHANGES / 3, CHANGES / 2);
    // The responses take longer than a lease lasts.
    while ((await leasesOf(databaseUrl)).some(({ until }, i) => until < (leases[i]?.until ?? 0) + LEASE_MS)) {
      await send(other.url, 'GET', '/health/ready');
    }
    expect((await leasesOf(databaseUrl)).map(({ holder }) => holder)).to.deep.equal(leases.map(({ holder }) => holder));

    await delivering.kill();
    recorder.release();
    await rename([other], CHANGES / 2, CHANGES);
    await receivedAll(recorder);

    expectInOrder(recorder);
    expect(recorder.duplicates, 'the deliveries that were in progress').to.be.at.least(WEBHOOKS);
  });

  for (const { name, makeStore } of [
    { name: 'a SQLite file', makeStore: async () => `sqlite:${join(folder(), 'petstore.db')}` },
    { name: 'PostgreSQL', makeStore: () => postgresServer.makeStore() },
  ]) {
    for (const end of ['stop', 'kill'] as const) {
      it(`continue where they stopped after a ${end} of the only service and a restart (${name})`, async () => {
        const databaseUrl = await makeStore();
        const service = await start(databaseUrl);
        const recorder = new Recorder(receiver, { holds: true });
        await prepare(service);
        await rename([service], 0, CHANGES);
        await receiver.count(WEBHOOKS * (HELD_AFTER + 1));
        await service[end]();
        recorder.release();
        await start(databaseUrl);
        await receivedAll(recorder);

        expectInOrder(recorder);
        expect(recorder.duplicates, 'the deliveries that were in progress').to.be.at.least(WEBHOOKS);
      });
    }
  }
});

/** Renames the pets in turn, over the services in turn. */
async function rename(services: readonly ServiceProcess[], from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    const { url } = services[i % services.length] as ServiceProcess;
    await send(url, 'PATCH', `/store/pets/${(i % PETS) + 1}`, { name: `Rex ${i}` });
  }
}

function expectedNames(): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (let pet = 0; pet < PETS; pet++) names[`/store/pets/${pet + 1}`] = ['Rex'];
  for (let i = 0; i < CHANGES; i++) names[`/store/pets/${(i % PETS) + 1}`]?.push(`Rex ${i}`);
  return names;
}

function namesByPet(messages: readonly Message[]): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const { subject, data } of messages) names[subject] = [...(names[subject] ?? []), data.name];
  return names;
}

async function send(url: string, method: string, path: string, body?: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
}

interface Lease {
  readonly holder: string;
  readonly until: number;
}

/** The leases of all webhooks, each of which has one. */
async function leasesOf(databaseUrl: string): Promise<Lease[]> {
  const rows = await postgresServer.ask(databaseUrl, 'select data from webhooks order by id');
  return rows.map(({ data }) => (JSON.parse(String(data)) as { lease: Lease }).lease);
}
