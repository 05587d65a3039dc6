import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryStorage } from '../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { Storage, StorageRefused } from '../../src/application/ports/storage.ts';
import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { createPetstore, type Petstore, type PetstoreConfig } from '../../src/composition/create-petstore.ts';
import { OptionRefused } from '../../src/composition/options.ts';
import { failureOf, gate } from '../support/promises.ts';
import { freshFolder } from '../support/temporary.ts';

const QUIET = { port: 0, databaseUrl: 'memory:', demo: false, logLevel: 'silent' } as const;
const ONCE = { Connection: 'close' };

describe('A petstore', () => {
  const folder = freshFolder();
  const started: Petstore[] = [];

  async function start(config: PetstoreConfig = {}): Promise<Petstore> {
    const petstore = await createPetstore({ ...QUIET, ...config });
    started.push(petstore);
    return petstore;
  }

  afterEach(async () => {
    for (const petstore of started.splice(0)) await petstore.close();
  });

  const statusOf = async (url: string) => (await fetch(url, { headers: ONCE })).status;
  const portOf = ({ url }: Petstore) => Number(new URL(url).port);
  const isRefused = async (url: string) => (await failureOf(fetch(url))) instanceof TypeError;

  /** Takes a port that was free a moment ago, for as long as the test says. */
  async function takenPort(): Promise<{ port: number; giveBack(): Promise<void> }> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      port: (server.address() as AddressInfo).port,
      giveBack: () => new Promise((resolve) => server.close(() => resolve())),
    };
  }

  describe('starts', () => {
    it('on a free port, and says where', async () => {
      const petstore = await start();

      expect(petstore.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await statusOf(`${petstore.url}/health/ready`)).to.equal(200);
    });

    it('beside another one', async () => {
      const [one, other] = [await start(), await start()];

      await fetch(`${one.url}/categories`, {
        method: 'POST',
        body: '{"name":"Dogs"}',
        headers: { ...ONCE, 'Content-Type': 'application/json' },
      });

      expect(portOf(one)).to.not.equal(portOf(other));
      expect(await (await fetch(`${other.url}/categories`, { headers: ONCE })).json()).to.deep.equal([]);
    });

    it('on the other loopback addresses, if the machine has them', async () => {
      const local = await start({ host: 'localhost' });
      expect(await statusOf(`${local.url}/health/live`)).to.equal(200);
      try {
        const six = await start({ host: '::1' });
        expect(six.url).to.match(/^http:\/\/\[::1\]:\d+$/);
        expect(await statusOf(`${six.url}/health/live`)).to.equal(200);
      } catch (error) {
        // A machine without IPv6 must at least be told so in one line.
        expect(error).to.be.instanceOf(OptionRefused);
      }
    });

    it('with a demonstration catalogue in an empty store, once', async () => {
      const databaseUrl = `sqlite:${join(folder(), 'store.db')}`;
      const pets = async ({ url }: Petstore) =>
        (await fetch(`${url}/pets?limit=1`, { headers: { ...ONCE, Prefer: 'return=total-count' } })).headers.get(
          'x-total-count',
        );

      const first = await start({ databaseUrl, demo: true });
      const count = Number(await pets(first));
      await first.close();
      const second = await start({ databaseUrl, demo: true });

      expect(count).to.be.above(0);
      expect(Number(await pets(second))).to.equal(count);
    });

    it('with what stands in place of what it would bind', async () => {
      class NoStorage extends InMemoryStorage {
        override async check(): Promise<void> {
          throw new Error('out of order');
        }
      }
      const { url } = await start({
        modules: [
          new ContainerModule(({ rebind }) => {
            rebind(Storage)
              .toResolvedValue((store) => new NoStorage(store), [InMemoryStore])
              .inSingletonScope();
          }),
        ],
      });

      expect(await statusOf(`${url}/health/ready`)).to.equal(500);
    });

    it('by taking the port first: until the storage is open, everything is 503', async () => {
      const { opened, open } = gate();
      class SlowStorage extends InMemoryStorage {
        override async open(): Promise<void> {
          await opened;
          await super.open();
        }
      }
      const { port, giveBack } = await takenPort();
      await giveBack();
      const starting = start({
        port,
        modules: [
          new ContainerModule(({ rebind }) => {
            rebind(Storage)
              .toResolvedValue((store) => new SlowStorage(store), [InMemoryStore])
              .inSingletonScope();
          }),
        ],
      });

      const url = `http://127.0.0.1:${port}`;
      const early = await fetch(`${url}/pets`, { headers: ONCE });
      expect([early.status, early.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(await statusOf(`${url}/health/ready`)).to.equal(503);
      expect(await statusOf(`${url}/health/live`)).to.equal(200);
      open();
      await starting;
      expect(await statusOf(`${url}/pets`)).to.equal(200);
    });
  });

  describe('does not start', () => {
    it('on a port in use, says so in one line, and creates no database', async () => {
      const { port, giveBack } = await takenPort();
      const file = join(folder(), 'data', 'store.db');

      const error = await failureOf(start({ port, databaseUrl: `sqlite:${file}` }));

      expect(error).to.be.instanceOf(OptionRefused);
      const { message } = error as OptionRefused;
      expect(message).to.include('PORT').and.to.include(String(port)).and.to.not.match(/\n/);
      expect(existsSync(join(folder(), 'data'))).to.equal(false);
      await giveBack();
    });

    it('on a port in use, and leaves a database that is there as it is', async () => {
      const file = join(folder(), 'store.db');
      const before = await start({ databaseUrl: `sqlite:${file}` });
      await before.close();
      const [bytes, { mtimeMs }] = [readFileSync(file), statSync(file)];
      const { port, giveBack } = await takenPort();

      await failureOf(start({ port, databaseUrl: `sqlite:${file}`, demo: true }));

      expect(readFileSync(file).equals(bytes)).to.equal(true);
      expect(statSync(file).mtimeMs).to.equal(mtimeMs);
      await giveBack();
    });

    it('where others could reach it', async () => {
      for (const host of ['0.0.0.0', '::', '192.168.0.1', 'petstore.example']) {
        const error = await failureOf(start({ host }));
        expect(error).to.be.instanceOf(OptionRefused);
        expect((error as Error).message)
          .to.include('HOST')
          .and.to.include(host)
          .and.to.include('loopback');
      }
    });

    it('on a file that is not its own, which stays as it is, and gives the port back', async () => {
      const file = join(folder(), 'notes.txt');
      writeFileSync(file, 'Buy dog food. '.repeat(1000));
      const { port, giveBack } = await takenPort();
      await giveBack();

      const error = await failureOf(start({ port, databaseUrl: `sqlite:${file}` }));

      expect(error).to.be.instanceOf(StorageRefused);
      expect((error as Error).message)
        .to.include(file)
        .and.to.include('DATABASE_URL')
        .and.to.not.match(/\n/);
      expect(readFileSync(file, 'utf8')).to.equal('Buy dog food. '.repeat(1000));
      expect(portOf(await start({ port }))).to.equal(port);
    });
  });

  describe('closes', () => {
    it('and gives its port back', async () => {
      const first = await start();
      await statusOf(`${first.url}/pets`);

      await first.close();

      expect(await isRefused(first.url)).to.equal(true);
      const second = await start({ port: portOf(first) });
      expect(await statusOf(`${second.url}/pets`)).to.equal(200);
    });

    it('once, however often it is told to', async () => {
      const petstore = await start({ databaseUrl: `sqlite:${join(folder(), 'store.db')}` });

      await Promise.all([petstore.close(), petstore.close()]);
      await petstore.close();

      expect(await isRefused(petstore.url)).to.equal(true);
    });

    for (const kind of ['memory', 'sqlite'] as const) {
      it(`and leaves nothing open (${kind})`, async () => {
        const open = () =>
          process
            .getActiveResourcesInfo()
            .filter((name) => name !== 'Immediate')
            .sort();
        const databaseUrl = kind === 'memory' ? 'memory:' : `sqlite:${join(folder(), 'store.db')}`;
        const before = open();

        const petstore = await start({ databaseUrl, demo: true });
        await statusOf(`${petstore.url}/pets`);
        await petstore.close();
        await new Promise((resolve) => setImmediate(resolve));

        expect(open()).to.deep.equal(before);
      });

      it(`so that its process ends by itself (${kind})`, async () => {
        const databaseUrl = kind === 'memory' ? 'memory:' : `sqlite:${join(folder(), 'store.db')}`;
        const program = `
          const { createPetstore } = await import(${JSON.stringify(new URL('../../src/composition/create-petstore.ts', import.meta.url).href)});
          const petstore = await createPetstore(${JSON.stringify({ ...QUIET, databaseUrl })});
          console.log((await fetch(petstore.url + '/pets')).status);
          await petstore.close();
        `;
        const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const said: Buffer[] = [];
        child.stdout.on('data', (part: Buffer) => said.push(part));

        const [code] = await once(child, 'close');

        expect([code, Buffer.concat(said).toString()]).to.deep.equal([0, '200\n']);
      });
    }

    it('when what is under way has ended, and refuses what comes then', async () => {
      const { opened, open } = gate();
      const { opened: begun, open: begin } = gate();
      const petstore = await start({ modules: [waitingFor(opened, begin)] });
      const order = post(`${petstore.url}/categories`, '{"name":"Dogs"}');
      await begun;

      const closing = petstore.close();
      expect(await isRefused(`${petstore.url}/pets`)).to.equal(true);
      open();

      expect((await order).status).to.equal(201);
      await closing;
    });

    it('without what has not ended in time', async () => {
      const { opened, open } = gate();
      const { opened: begun, open: begin } = gate();
      const petstore = await start({ shutdownGrace: 0, modules: [waitingFor(opened, begin)] });
      const order = failureOf(post(`${petstore.url}/categories`, '{"name":"Dogs"}'));
      await begun;

      const closing = petstore.close();

      expect(await order).to.be.instanceOf(TypeError);
      open();
      await closing;
    });

    it('and finds everything again when it starts anew', async () => {
      const databaseUrl = `sqlite:${join(folder(), 'store.db')}`;
      const first = await start({ databaseUrl });
      await post(`${first.url}/categories`, '{"name":"Dogs"}');
      await first.close();

      const second = await start({ databaseUrl });

      expect(await (await fetch(`${second.url}/categories`, { headers: ONCE })).json()).to.deep.equal([
        { id: 1, name: 'Dogs' },
      ]);
    });
  });
});

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { ...ONCE, 'Content-Type': 'application/json' } });
}

/** Units of work that do not end before somebody lets them. */
function waitingFor(opened: Promise<void>, begin: () => void): ContainerModule {
  class WaitingUnitOfWork extends InMemoryUnitOfWork {
    override write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
      return super.write(async (scope) => {
        begin();
        await opened;
        return work(scope);
      });
    }
  }
  return new ContainerModule(({ rebind }) => {
    rebind(UnitOfWork)
      .toResolvedValue((store) => new WaitingUnitOfWork(store), [InMemoryStore])
      .inSingletonScope();
  });
}
