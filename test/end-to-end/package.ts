import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { entryPoints } from '../package/entry-points.ts';
import { npm, pack, run } from '../package/pack.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { checkoutIn } from './checkout.ts';
import { follow, stepsOf } from './page.ts';
import { type PublicClient, publicClient } from './public-tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples');

/** Public tools, fetched when they are needed: checkers of packages, and the compilers of users. */
const TOOLS = [
  'publint@0.3.25',
  '@arethetypeswrong/cli@0.18.5',
  'typescript-5@npm:typescript@5.9.3',
  'typescript-6@npm:typescript@6.0.3',
  'typescript-7@npm:typescript@7.0.2',
];

/** What drives the classic transport: the document of the classic petstore, and a client that is made of it. */
const CLASSIC_TOOLS = ['@readme/oas-examples@8.2.2', 'openapi-client-axios@7.9.1', 'axios@1.21.1'];

const JSON_BODY = { 'Content-Type': 'application/json' };

/** A program of a team that uses the package, and mistakes that its compiler must see. */
const CONSUMER = `
import { ContainerModule, createPetstore, OptionRefused, type Petstore, type PetstoreConfig } from 'petstore-service';
import { OrderDesk } from 'petstore-service/application/order-desk';
import { storageSuite } from 'petstore-service/conformance/storage-suite';
import { Order } from 'petstore-service/domain/order';
import { Clock } from 'petstore-service/ports/clock';
import { Reader } from 'petstore-service/ports/reader';
import type { WriteScope } from 'petstore-service/ports/unit-of-work';
import { InMemoryReader } from 'petstore-service/storage/in-memory/reader';
import { InMemoryStore } from 'petstore-service/storage/in-memory/store';

const module = new ContainerModule(({ rebind }) => {
  rebind(Reader).toResolvedValue(() => new InMemoryReader(new InMemoryStore()));
  rebind(Clock).toConstantValue({ now: () => 0 });
  // @ts-expect-error: a clock returns a number
  rebind(Clock).toConstantValue({ now: () => 'noon' });
});
const config: PetstoreConfig = { port: 0, modules: [module], databaseUrl: 'memory:' };
const petstore: Petstore = await createPetstore(config);
const { id }: { id: number } = await petstore.container.get(OrderDesk).place({ petId: 26, quantity: 2 });
export const order: Order = Order.place({ id, petId: 1, quantity: 1 });
// @ts-expect-error: a quantity is a number
Order.place({ id, petId: 1, quantity: 'one' });
export const nextId = (scope: WriteScope): Promise<number> => scope.orders.nextId();
export { OptionRefused, storageSuite };
`;

describe('The package', function () {
  this.timeout(120_000);

  let folder: string;
  let archive: string;
  let installed: string;
  let tools: string;

  before(async () => {
    folder = await temporaryFolder();
    [installed, tools] = [join(folder, 'empty-project'), join(folder, 'tools')];
    for (const project of [installed, tools]) {
      await mkdir(project);
      await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    }
    archive = await pack(folder);
    await Promise.all([npm(installed, 'install', archive), npm(tools, 'install', ...TOOLS)]);
  });

  after(() => removeFolder(folder));

  /** A copy of an example, with the package as it was packed. */
  async function example(name: string): Promise<string> {
    const copy = join(folder, name);
    await cp(join(EXAMPLES, name), copy, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
    await npm(copy, 'install', archive);
    return copy;
  }

  const inPackage = (path: string) => join(installed, 'node_modules/petstore-service', path);

  /** Runs what the package calls `petstore`, as a script of a project does. */
  const petstore = (project: string, ...words: string[]) =>
    run(process.execPath, [join(project, 'node_modules/petstore-service/dist/petstore.js'), ...words], {
      cwd: project,
      env: { ...process.env, DATABASE_URL: 'memory:' },
      maxBuffer: 16 * 1024 * 1024,
    });

  it('has what it needs to run, and nothing that only develops it', async () => {
    const described = JSON.parse(await readFile(inPackage('package.json'), 'utf8')) as Record<string, unknown>;

    expect(described).to.include.keys('name', 'version', 'license', 'exports', 'bin', 'engines', 'dependencies');
    expect(described).to.not.have.any.keys('optionalDependencies', 'bundleDependencies');
    expect(await readdir(inPackage('.'))).to.have.members(['LICENSE', 'README.md', 'dist', 'docs', 'package.json']);
    const withIt = await readdir(join(installed, 'node_modules'));
    expect(withIt.filter((name) => /^node-linux|^(?:typescript|mocha|node-for-development)$/.test(name))).to.deep.equal(
      [],
    );
  });

  it('has everything that its pages link to', async () => {
    const pages = (await readdir(inPackage('.'), { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(pages.length).to.be.above(10);
    for (const page of pages) {
      const text = await readFile(inPackage(page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
        expect(existsSync(inPackage(join(dirname(page), link))), `${page}: ${link}`).to.equal(true);
      }
    }
  });

  it('has no findings of publint', async () => {
    const { stdout } = await run(process.execPath, [
      join(tools, 'node_modules/publint/src/cli.js'),
      'run',
      archive,
      '--strict',
    ]);

    expect(stdout).to.include('All good!');
  });

  it('has types for every entry point, according to arethetypeswrong', async () => {
    const attw = join(tools, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const entries = Array.from(entryPoints().keys(), (name) => name.replace('petstore-service', '.'));
    expect(entries.length).to.be.above(80);

    const options = ['--profile', 'esm-only', '--format', 'ascii', '--entrypoints', ...entries];
    // A finding ends it with 1, which fails this test.
    const { stdout } = await run(process.execPath, [attw, archive, ...options], { maxBuffer: 64 * 1024 * 1024 });

    expect(stdout).to.include('petstore-service/ports/storage');
  });

  for (const compiler of ['typescript-5', 'typescript-6', 'typescript-7']) {
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      it(`compiles with code that uses it: ${compiler}, ${resolution}, including its own declarations`, async () => {
        await writeFile(join(installed, 'consumer.ts'), CONSUMER);
        const tsc = join(tools, 'node_modules', compiler, 'bin/tsc');
        const options = [
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--module',
          module,
          '--moduleResolution',
          resolution,
        ];

        expect(await complaints(tsc, [...options, 'consumer.ts'], installed)).to.equal('');
      });
    }
  }

  it('hides everything that is not an entry point', async () => {
    for (const inside of [
      'petstore-service/dist/index.js',
      'petstore-service/composition/main',
      'petstore-service/application/ports/clock',
    ]) {
      const asked = run(process.execPath, ['--eval', `import.meta.resolve('${inside}')`], { cwd: installed });

      const { stderr } = (await asked.catch((error: unknown) => error)) as { stderr: string };
      expect(stderr, inside).to.include('ERR_PACKAGE_PATH_NOT_EXPORTED');
    }
  });

  it('contains an example storage that passes the conformance suite, and starts with it', async () => {
    const project = await example('storage-adapter');
    const { stdout } = await run('npm', ['run', 'conformance', '--silent'], {
      cwd: project,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [, kept, broken, untried] = /(\d+) checks passed, (\d+) failed, (\d+) skipped/.exec(stdout) ?? [];
    expect(Number(kept)).to.be.above(300);
    expect([broken, untried]).to.deep.equal(['0', '0']);

    const settings = { PETSTORE_ADAPTERS: './acme-storage.js', ACME_STORE: 'shop.db' };
    await serving(project, settings, async (url) => {
      const body = JSON.stringify({ petId: 26, quantity: 2 });
      const order = await fetch(`${url}/store/orders`, { method: 'POST', headers: JSON_BODY, body });
      expect(order.status).to.equal(201);
    });
    expect(existsSync(join(project, 'shop.db'))).to.equal(true);
    await serving(project, settings, async (url) => {
      expect(await (await fetch(`${url}/store/inventory/26`)).json()).to.include({ petId: 26, reserved: 2 });
    });

    // From another project, the service and the storage have a copy of the package each.
    const copies = { PETSTORE_ADAPTERS: join(project, 'acme-storage.js'), ACME_STORE: join(project, 'copies.db') };
    await serving(installed, copies, async (url) => {
      const body = JSON.stringify({ name: 'Axolotls' });
      const created = () => fetch(`${url}/categories`, { method: 'POST', headers: JSON_BODY, body });
      expect((await created()).status).to.equal(201);
      expect((await created()).status).to.equal(409);
    });
    expect(existsSync(join(project, 'copies.db'))).to.equal(true);

    const command = async (...words: string[]) => {
      const program = join(project, 'node_modules/petstore-service/dist/petstore.js');
      return (await run(process.execPath, [program, ...words], { cwd: project, env: { ...process.env, ...settings } }))
        .stdout;
    };
    await command('keys', 'create', '--name', 'Till', '--scope', 'admin');
    expect(await command('keys', 'list')).to.include('Till');
    expect(await command('audit')).to.equal('100 pets audited, 0 rules broken\n');
  });

  it('lets a reader of the page about adapters write a storage that passes the conformance suite', async () => {
    const steps = stepsOf('writing-an-adapter.md').filter(({ title }) => title !== 'serves');
    expect(steps[0]).to.include({ title: 'checkout' });
    const checkout = await checkoutIn(join(folder, 'checkout'));

    const output = await follow(steps, checkout, {});

    const printed = steps.flatMap(({ prints = '' }, i) => (prints ? [{ prints, output: output[i] }] : []));
    expect(printed).to.have.length(2);
    for (const { prints, output: what } of printed) expect(what).to.include(prints);
    const project = join(folder, 'acme-petstore-storage');
    await serving(project, { PETSTORE_ADAPTERS: './acme-storage.js,./acme-clock.ts' }, async (url) => {
      // The clock of the page stands in the year 2030, when this operation is gone.
      expect((await fetch(`${url}/pets/26`)).status).to.equal(410);
      expect((await fetch(`${url}/store/pets/26`)).status).to.equal(200);
    });
    const tsc = join(tools, 'node_modules/typescript-7/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    await run(process.execPath, [tsc, ...options, 'acme-clock.ts'], { cwd: project });
  });

  it('prevents the start with one line when a storage finds foreign data', async () => {
    const project = join(folder, 'storage-adapter');
    await writeFile(join(project, 'letter.txt'), 'Dear customer, this is no database at all.\n'.repeat(50));
    const env = { ...process.env, PETSTORE_ADAPTERS: './acme-storage.js', ACME_STORE: 'letter.txt', PORT: '0' };

    const starting = run(process.execPath, ['node_modules/petstore-service/dist/petstore.js'], { cwd: project, env });

    const { code, stderr } = (await starting.catch((error: unknown) => error)) as { code: number; stderr: string };
    expect({ code, output: stderr.split('\n') }).to.deep.equal({
      code: 2,
      output: ['petstore: letter.txt is not a database.', ''],
    });
  });

  it('starts the classic transport by its name, for clients made of the classic document', async () => {
    const project = join(folder, 'classic');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true }\n');
    await npm(project, 'install', archive, ...CLASSIC_TOOLS);

    const settings = { PORT: '0', CLASSIC_PORT: '0', PETSTORE_DEMO: 'off', DATABASE_URL: 'memory:' };
    await running(project, ['npx', '--no', 'petstore-classic'], settings, async ({ store = '', classic = '' }) => {
      const document = createRequire(join(project, 'package.json'))('@readme/oas-examples/3.0/json/petstore.json');
      for (const version of ['v2', 'v3', 'api/v3']) {
        await tellClassicStory(await publicClient(project, document, `${classic}/${version}`), store);
      }
    });
  });

  it('prints its document', async () => {
    const { stdout } = await petstore(installed, 'openapi');

    expect(JSON.parse(stdout)).to.deep.include({ openapi: '3.0.3' });
    expect(JSON.parse(await readFile(inPackage('docs/openapi.json'), 'utf8'))).to.deep.equal(JSON.parse(stdout));
  });

  it('starts by its name, and serves', async () => {
    await serving(installed, {}, async (url) => {
      const pets = await fetch(`${url}/pets?limit=2`);

      expect(pets.status).to.equal(200);
      expect(await pets.json()).to.have.length(2);
      expect((await fetch(`${url}/docs`)).status).to.equal(200);
      expect((await fetch(`${url}/docs/scalar.js`)).status).to.equal(200);
    });
  });
});

/** The messages of a compiler about a project. */
async function complaints(tsc: string, options: readonly string[], project: string): Promise<string> {
  const compiling = run(process.execPath, [tsc, ...options], { cwd: project });
  const { stdout } = (await compiling.catch((error: unknown) => error)) as { stdout: string };
  return stdout;
}

/** Runs `npx petstore-service` on a free port until it has been looked at. */
function serving(project: string, settings: object, look: (url: string) => Promise<void>): Promise<void> {
  const all = { DATABASE_URL: 'memory:', HOST: '127.0.0.1', PORT: '0', ...settings };
  return running(project, ['npx', '--no', 'petstore-service'], all, ({ url = '' }) => look(url));
}

/** Runs a program until `look` has read its first line with an address. */
async function running(
  project: string,
  [command = '', ...words]: readonly string[],
  settings: object,
  look: (fields: Partial<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const env = { ...process.env, ...settings };
  const service = spawn(command, words, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(service, 'exit');
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      if (!line.includes('http://')) continue;
      await look(JSON.parse(line) as Partial<Record<string, string>>);
      return;
    }
    expect.fail('it ended before it was open');
  } finally {
    // npx does not forward signals.
    if (service.pid !== undefined && service.exitCode === null) process.kill(-service.pid, 'SIGTERM');
    await ended;
  }
}

/** What clients of the classic petstore do, and what they may not. `store`: where the same store has our own transport. */
async function tellClassicStory(client: PublicClient, store: string): Promise<void> {
  const call = async (operationId: string, ...given: Parameters<PublicClient[string]>) => {
    const { status, data } = (await client[operationId]?.(...given)) ?? expect.fail(`no operation ${operationId}`);
    return { status, data };
  };
  const pet = {
    id: 820_001,
    category: { id: 1, name: 'Dogs' },
    name: 'doggie',
    photoUrls: ['http://pictures.example/doggie.png'],
    tags: [{ id: 0, name: 'friendly' }],
    status: 'available',
  };
  const order = {
    id: 77,
    petId: pet.id,
    quantity: 1,
    shipDate: '2026-11-21T09:00:00.000Z',
    status: 'placed',
    complete: false,
  };

  expect(await call('addPet', null, pet)).to.deep.equal({ status: 200, data: pet });
  expect(await call('getPetById', { petId: pet.id })).to.deep.equal({ status: 200, data: pet });
  expect(await call('findPetsByStatus', { status: ['available'] })).to.deep.equal({ status: 200, data: [pet] });
  expect(await call('findPetsByTags', { tags: ['friendly'] })).to.deep.equal({ status: 200, data: [pet] });
  expect(await call('updatePet', null, { ...pet, name: 'Rex' })).to.deep.include({ data: { ...pet, name: 'Rex' } });
  expect(await call('getInventory')).to.deep.include({ data: { available: 1, pending: 0, sold: 0 } });

  expect((await call('placeOrder', null, { ...order, petId: 4_711 })).status).to.equal(400);
  expect((await call('placeOrder', null, { ...order, quantity: 2 })).status).to.equal(400);
  expect(await call('placeOrder', null, order)).to.deep.equal({ status: 200, data: order });
  expect(await call('getOrderById', { orderId: 77 })).to.deep.equal({ status: 200, data: order });
  expect((await call('deletePet', { petId: pet.id })).status).to.equal(400);
  expect(await (await fetch(`${store}/store/inventory/summary`)).json()).to.deep.include({
    pending: { pets: 1, units: 1 },
  });
  expect((await call('deleteOrder', { orderId: 77 })).status).to.equal(200);
  expect((await call('getOrderById', { orderId: 77 })).status).to.equal(404);

  expect((await call('addPet', null, { name: 'doggie' })).status).to.be.oneOf([405, 422]);
  expect((await call('getPetById', { petId: 'doggie' })).status).to.equal(400);
  expect((await call('getUserByName', { username: 'ada' })).status).to.equal(501);
  expect((await call('deletePet', { petId: pet.id })).status).to.equal(200);
  expect((await call('getPetById', { petId: pet.id })).status).to.equal(404);
}
