import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { afterCheck } from '../support/after-check.ts';
import { failureOf, latch, yieldToEventLoop } from '../support/promises.ts';
import { freshFolder } from '../support/temporary.ts';
import { ONCE, petstores, portOf, post, QUIET, statusOf } from './petstores.ts';

describe('A petstore', () => {
  const folder = freshFolder();
  const start = petstores();

  const isRefused = async (url: string) => (await failureOf(fetch(url))) instanceof TypeError;

  describe('closes', () => {
    it('and releases its port', async () => {
      const first = await start();
      await statusOf(`${first.url}/pets`);

      await first.close();

      expect(await isRefused(first.url)).to.equal(true);
      const second = await start({ port: portOf(first) });
      expect(await statusOf(`${second.url}/pets`)).to.equal(200);
    });

    it('once, however often close is called', async () => {
      const petstore = await start({ databaseUrl: `sqlite:${join(folder(), 'store.db')}` });

      await Promise.all([petstore.close(), petstore.close()]);
      await petstore.close();

      expect(await isRefused(petstore.url)).to.equal(true);
    });

    for (const kind of ['memory', 'sqlite'] as const) {
      it(`and leaves nothing open (${kind})`, async () => {
        const databaseUrl = kind === 'memory' ? 'memory:' : `sqlite:${join(folder(), 'store.db')}`;
        // Mocha's own timer for this test starts with the first turn.
        await yieldToEventLoop();
        const before = process.getActiveResourcesInfo();

        const petstore = await start({ databaseUrl, demo: true });
        const [answer] = (await once(get(`${petstore.url}/pets`, { agent: false }), 'response')) as [IncomingMessage];
        answer.resume();
        await petstore.close();

        expect(await addedTo(before)).to.deep.equal([]);
      });

      it(`so that its process exits by itself (${kind})`, async () => {
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
        const output: Buffer[] = [];
        child.stdout.on('data', (part: Buffer) => output.push(part));

        const [code] = await once(child, 'close');

        expect([code, Buffer.concat(output).toString()]).to.deep.equal([0, '200\n']);
      });
    }

    it('after the requests in flight, and refuses new ones', async () => {
      const { opened, open } = latch();
      const { opened: begun, open: begin } = latch();
      const petstore = await start({ modules: [waitingFor(opened, begin)] });
      const order = post(`${petstore.url}/categories`, '{"name":"Dogs"}');
      await begun;

      const closing = petstore.close();
      expect(await isRefused(`${petstore.url}/pets`)).to.equal(true);
      open();

      expect((await order).status).to.equal(201);
      await closing;
    });

    it('without waiting for requests that exceed the time limit', async () => {
      const { opened, open } = latch();
      const { opened: begun, open: begin } = latch();
      const petstore = await start({ shutdownGrace: 0, modules: [waitingFor(opened, begin)] });
      const order = failureOf(post(`${petstore.url}/categories`, '{"name":"Dogs"}'));
      await begun;

      const closing = petstore.close();

      expect(await order).to.be.instanceOf(TypeError);
      open();
      await closing;
    });

    it('and has all data when it starts again', async () => {
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

/** The new handles that keep the process alive; closing takes some turns of the event loop. */
async function addedTo(before: readonly string[]): Promise<string[]> {
  let added: string[] = [];
  for (let turn = 0; turn < 100_000; turn++) {
    const left = [...before];
    added = process.getActiveResourcesInfo().filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && name !== 'Immediate';
    });
    if (added.length === 0) break;
    await yieldToEventLoop();
  }
  return added;
}

/** Units of work that do not end before the test lets them. */
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
      .toResolvedValue(
        (store) => afterCheck(new InMemoryUnitOfWork(store), new WaitingUnitOfWork(store)),
        [InMemoryStore],
      )
      .inSingletonScope();
  });
}
