import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryStorage } from '../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { OrderDesk } from '../../src/application/order-desk.ts';
import { Log } from '../../src/application/ports/log.ts';
import { Reader } from '../../src/application/ports/reader.ts';
import { Storage, StorageRefused } from '../../src/application/ports/storage.ts';
import { StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import { createPetstore, type Petstore, type PetstoreConfig } from '../../src/composition/create-petstore.ts';
import { OptionRefused } from '../../src/composition/options.ts';
import { failureOf, latch } from '../support/promises.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { freshFolder } from '../support/temporary.ts';
import { ONCE, petstores, portOf, post, QUIET, statusOf, takenPort } from './petstores.ts';

describe('A petstore', () => {
  const folder = freshFolder();
  const start = petstores();

  describe('starts', () => {
    it('on a free port, and returns its address', async () => {
      const petstore = await start();

      expect(petstore.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await statusOf(`${petstore.url}/health/ready`)).to.equal(200);
    });

    it('beside another one', async () => {
      const [one, other] = [await start(), await start()];

      await post(`${one.url}/categories`, '{"name":"Dogs"}');

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
        // On a machine without IPv6, the error must be one line.
        expect(error).to.be.instanceOf(OptionRefused);
      }
    });

    it('with a demonstration catalogue in an empty store, which is loaded once', async () => {
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

    it('with a demonstration catalogue by default only while authentication is off, in an unused store', async () => {
      const hasPets = async ({ container }: Petstore) => (await container.get(Reader).countPets({})) > 0;
      const fresh = (name: string) => `sqlite:${join(folder(), name)}`;

      expect(await hasPets(await start({ demo: undefined }))).to.equal(true);
      expect(await hasPets(await start({ demo: undefined, auth: ['api-key'] }))).to.equal(false);
      expect(await hasPets(await start({ demo: false }))).to.equal(false);
      expect(await hasPets(await start({ demo: true, auth: ['api-key'] }))).to.equal(true);

      const used = await start({ databaseUrl: fresh('used.db'), demo: false });
      await post(`${used.url}/categories`, '{"name":"Dogs"}');
      await used.close();
      expect(await hasPets(await start({ databaseUrl: fresh('used.db'), demo: true }))).to.equal(false);

      const keyed = await start({ databaseUrl: fresh('keyed.db'), demo: false });
      await keyed.container.get(KeyDesk).issue({ name: 'Till', scopes: ['admin'] });
      await keyed.close();
      expect(await hasPets(await start({ databaseUrl: fresh('keyed.db'), demo: undefined }))).to.equal(false);
      expect(await hasPets(await start({ databaseUrl: fresh('keyed.db'), demo: true }))).to.equal(false);
    });

    it('without a server, for a program with a transport of its own', async () => {
      const databaseUrl = `sqlite:${join(folder(), 'store.db')}`;
      const { port, giveBack } = await takenPort();

      const petstore = await createPetstore({ ...QUIET, port, databaseUrl, demo: true, listen: false });

      expect(petstore.url).to.equal(undefined);
      const { id } = await petstore.container.get(OrderDesk).place({ petId: 26, quantity: 2 });
      expect(await petstore.container.get(OrderDesk).get(id)).to.include({ petId: 26, quantity: 2 });
      await petstore.close();
      expect(await failureOf(petstore.container.get(OrderDesk).get(id))).to.be.instanceOf(StorageUnavailable);
      await giveBack();
    });

    it('with the bindings that replace its own', async () => {
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
      const { opened, open } = latch();
      const { opened: begun, open: begin } = latch();
      class SlowStorage extends InMemoryStorage {
        override async open(): Promise<void> {
          begin();
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
      await begun;
      const early = [
        await statusOf(`${url}/pets`),
        await statusOf(`${url}/health/ready`),
        await statusOf(`${url}/health/live`),
      ];
      open();
      await starting;
      expect(early).to.deep.equal([503, 503, 200]);
      expect(await statusOf(`${url}/pets`)).to.equal(200);
    });
  });

  describe('does not start', () => {
    it('on a port in use, and creates no database', async () => {
      const { port, giveBack } = await takenPort();
      const file = join(folder(), 'data', 'store.db');

      const error = await failureOf(start({ port, databaseUrl: `sqlite:${file}` }));

      expect(error).to.be.instanceOf(OptionRefused);
      const { message } = error as OptionRefused;
      expect(message).to.include('PORT').and.to.include(String(port)).and.to.not.match(/\n/);
      expect(existsSync(join(folder(), 'data'))).to.equal(false);
      await giveBack();
    });

    it('on a port in use, and does not change an existing database', async () => {
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

    it('on a public address while authentication is off', async () => {
      for (const host of ['0.0.0.0', '::', '192.168.0.1', 'petstore.example']) {
        const error = await failureOf(start({ host }));
        expect(error).to.be.instanceOf(OptionRefused);
        expect((error as Error).message)
          .to.include('HOST')
          .and.to.include(host)
          .and.to.include('loopback');
      }
    });

    it('there unless that is declared, which is logged as a warning at each start', async () => {
      const warningsOf = async (config: PetstoreConfig) => {
        const log = new RecordingLog();
        const logging = new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
        await start({ ...config, modules: [logging] });
        return log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
      };

      const warning = { host: '0.0.0.0', variable: 'PETSTORE_OPEN_NETWORK' };
      expect(await warningsOf({ host: '0.0.0.0', openNetwork: true })).to.deep.equal([warning]);
      expect(await warningsOf({ openNetwork: true })).to.deep.equal([{ ...warning, host: '127.0.0.1' }]);
      expect(await warningsOf({})).to.deep.equal([]);
      expect(await warningsOf({ openNetwork: true, auth: ['api-key'] })).to.deep.equal([]);
    });

    it('without the key set of the tokens', async () => {
      const notes = join(folder(), 'notes.json');
      writeFileSync(notes, '["Buy dog food."]');
      for (const jwtKeys of [join(folder(), 'nowhere.json'), notes]) {
        const provider = { jwtIssuer: 'https://login.example', jwtAudience: 'petstore', jwtKeys };
        const error = await failureOf(start({ auth: ['jwt'], ...provider }));

        expect(error).to.be.instanceOf(OptionRefused);
        expect((error as Error).message)
          .to.include(`PETSTORE_JWT_JWKS was ${JSON.stringify(jwtKeys)}`)
          .and.to.not.match(/\n/);
      }
    });

    it('on a file that is not a store, which stays unchanged, and releases the port', async () => {
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
});
