import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ApiKeyVerifier } from '../../src/application/api-key-verifier.ts';
import { CredentialRefused } from '../../src/application/ports/credential-verifier.ts';
import { failureOf } from '../support/promises.ts';
import { freshFolder } from '../support/temporary.ts';
import { petstores } from './petstores.ts';

const PETSTORE = fileURLToPath(new URL('../../src/petstore.ts', import.meta.url));

describe('The key commands of the program', () => {
  const folder = freshFolder();
  const start = petstores();

  const store = () => `sqlite:${join(folder(), 'store.db')}`;

  /** Runs `petstore …` in a separate process. */
  async function petstore(args: readonly string[], databaseUrl = store()) {
    const child = spawn(process.execPath, [PETSTORE, ...args], {
      cwd: folder(),
      env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part));
    child.stderr.on('data', (part: Buffer) => (err += part));
    const [code] = await once(child, 'close');
    return { code, out, err };
  }

  const keys = (line: string, databaseUrl?: string) => petstore(['keys', ...line.split(' ')], databaseUrl);

  /** Runs it, and asserts success. Returns its output. */
  async function done(line: string): Promise<string> {
    const { code, out, err } = await keys(line);
    expect(code, err).to.equal(0);
    return out;
  }

  /** Runs it, and asserts exit code 2 and one line. Returns the line. */
  async function wrong(line: string, databaseUrl?: string): Promise<string> {
    const { code, out, err } = await keys(line, databaseUrl);
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/^petstore: [^\n]+\n$/);
    return err;
  }

  it('change the keys of a store while a service runs on it, with effect from the next request', async () => {
    const petstore = await start({ databaseUrl: store() });
    const verifier = petstore.container.get(ApiKeyVerifier);
    const reasonOf = async (secret: string) => {
      const failure = await failureOf(verifier.verify(secret));
      if (!(failure instanceof CredentialRefused)) throw failure;
      return failure.reason;
    };

    const secret = (await done('create --name Till --scope store:write')).trimEnd();
    expect(await verifier.verify(secret)).to.deep.equal({ name: 'key:1', scopes: new Set(['store:write']) });

    await done('expire 1 2026-01-01T00:00:00Z');
    expect(await reasonOf(secret)).to.equal('expired');

    await done('expire 1 never');
    expect(await verifier.verify(secret)).to.include({ name: 'key:1' });

    await done('revoke 1');
    expect(await reasonOf(secret)).to.equal('revoked');
    expect(await done('list --json'))
      .to.include('"revoked"')
      .and.to.not.include('digest');
  });

  it('create the store for its first key, without a demonstration', async () => {
    await done('create --name One --scope admin');

    const petstore = await start({ databaseUrl: store(), demo: true });

    const pets = await fetch(`${petstore.url}/pets`, { headers: { Connection: 'close' } });
    expect(await pets.json()).to.deep.equal([]);
  });

  it('report in one line what cannot be done', async () => {
    await done('create --name One --scope admin');

    expect(await wrong('revoke 7')).to.include('No API key has the id 7');
    expect(await wrong('revoke x')).to.include('id of a key');
    expect(await wrong('create --name One --scope admin --expires 2026-01-01T00:00:00Z')).to.include('in the future');
  });

  it('refuse a store in memory, which no other process can read', async () => {
    for (const line of ['create --name One --scope admin', 'list']) {
      expect(await wrong(line, 'memory:'))
        .to.include('DATABASE_URL was "memory:"')
        .and.to.include('sqlite:');
    }
  });

  it('do not migrate a store of an older version, on which a service may run', async () => {
    await done('create --name One --scope admin');
    const file = join(folder(), 'store.db');
    const database = new Database(file);
    database.exec('delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations)');
    database.close();
    const before = readFileSync(file);

    for (const line of ['list', 'create --name Two --scope admin', 'revoke 1', 'expire 1 never']) {
      expect(await wrong(line))
        .to.include('written by an older version')
        .and.to.include('start the service of this version');
    }
    const { code, out, err } = await petstore(['audit']);

    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/^petstore: [^\n]* written by an older version [^\n]+\n$/);
    expect(readFileSync(file).equals(before)).to.equal(true);
  });

  it('list keys only of a store that exists', async () => {
    expect(await wrong('list')).to.include(`DATABASE_URL was ${JSON.stringify(store())}`);
    expect(existsSync(join(folder(), 'store.db'))).to.equal(false);
  });
});
