import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryEventLog } from '../../src/adapters/in-memory/event-log.ts';
import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { OrderDesk } from '../../src/application/order-desk.ts';
import { EventLog } from '../../src/application/ports/event-log.ts';
import { Reader } from '../../src/application/ports/reader.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { UnitOfWork } from '../../src/application/ports/unit-of-work.ts';
import { createPetstore } from '../../src/composition/create-petstore.ts';
import { npm } from '../package/pack.ts';

describe('The page about writing an adapter', () => {
  it('shows lines that bind an adapter of your own', async () => {
    const myStorage = new ContainerModule(({ rebind, bind }) => {
      bind(InMemoryStore).toConstantValue(new InMemoryStore());
      rebind(UnitOfWork).toResolvedValue((store) => new InMemoryUnitOfWork(store), [InMemoryStore]);
      rebind(Reader).toResolvedValue((store) => new InMemoryReader(store), [InMemoryStore]);
      rebind(EventLog).toResolvedValue((store) => new InMemoryEventLog(store), [InMemoryStore]);
      rebind(Storage).toResolvedValue((store) => new InMemoryStorage(store), [InMemoryStore]);
    });
    const petstore = await createPetstore({ port: 0, logLevel: 'silent', modules: [myStorage] });

    try {
      const { id } = await petstore.container.get(OrderDesk).place({ petId: 26, quantity: 2 });
      const shown = await fetch(`${petstore.url}/store/orders/${id}`);
      expect(await shown.json()).to.deep.equal({ id, petId: 26, quantity: 2, complete: false });
    } finally {
      await petstore.close();
    }
  });

  it('shows exactly the code that runs here', () => {
    const page = readFileSync(new URL('../../docs/writing-an-adapter.md', import.meta.url), 'utf8');
    const own = readFileSync(new URL(import.meta.url), 'utf8').split('\n');
    const shown = /```ts\n(.*?)```/s.exec(page)?.[1]?.trimEnd().split('\n') ?? [];

    expect(shown).to.have.length.above(5);
    expect(own.map((line) => line.trim())).to.include.members(shown.map((line) => line.trim()));
  });

  it('begins with commands that name the archive of npm pack', async () => {
    const page = readFileSync(new URL('../../docs/writing-an-adapter.md', import.meta.url), 'utf8');
    const root = fileURLToPath(new URL('../../', import.meta.url));

    const packed = JSON.parse(await npm(root, 'pack', '--dry-run', '--json')) as unknown;

    // A later npm names each package instead of listing them.
    const [{ filename, files }] = Object.values(packed as object) as [
      { filename: string; files: readonly { readonly path: string }[] },
    ];
    const [, commands] = /```sh checkout\n(.*?)```/s.exec(page) ?? [];
    expect(commands?.split('\n')).to.deep.equal([
      'npm ci',
      'npm run package',
      `export PETSTORE_TGZ="$PWD/${filename}"`,
      'cp -r docs/examples/storage-adapter ../acme-petstore-storage',
      'cd ..',
      '',
    ]);
    const paths = files.map(({ path }) => path);
    expect(paths).to.include.members(['LICENSE', 'README.md', 'package.json', 'docs/writing-an-adapter.md']);
    expect(paths.filter((path) => !/^(?:dist\/|docs\/|LICENSE$|README\.md$|package\.json$)/.test(path))).to.deep.equal(
      [],
    );
    expect(paths.filter((path) => /node_modules|package-lock|\.tsbuildinfo$/.test(path))).to.deep.equal([]);
  });

  it('quotes lines of the template, and names its files', () => {
    const page = readFileSync(new URL('../../docs/writing-an-adapter.md', import.meta.url), 'utf8');
    const template = new URL('../../docs/examples/storage-adapter/', import.meta.url);
    const files = readdirSync(template).filter((name) => name.endsWith('.js'));
    const texts = files.map((name) => readFileSync(new URL(name, template), 'utf8'));
    const quotes = Array.from(page.matchAll(/```js\n(.*?)```/gs), ([, quote = '']) => quote);

    expect(quotes).to.have.length.above(6);
    for (const quote of quotes)
      expect(
        texts.some((text) => text.includes(quote)),
        quote,
      ).to.equal(true);
    for (const name of files) expect(page).to.include(`\`${name}\``);
  });
});
