import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Auditor } from '../../src/application/auditor.ts';
import { OptionRefused, optionsFrom, optionsWith } from '../../src/composition/options.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { petstores } from './petstores.ts';

const PETSTORE = fileURLToPath(new URL('../../src/petstore.ts', import.meta.url));

describe('The program on PostgreSQL', () => {
  const start = petstores();
  let databaseUrl: string;
  beforeEach(async () => {
    databaseUrl = await postgresServer.makeDatabase();
  });
  afterEach(() => postgresServer.drop(databaseUrl));

  /** A service is closed as soon as it is open. */
  async function run(line: string, url = databaseUrl, more: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PETSTORE, ...line.split(' ')], {
      env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: url, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      out += part;
      if (out.includes('the petstore is ready')) child.kill('SIGTERM');
    });
    child.stderr.on('data', (part: Buffer) => (err += part));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err };
  }

  it('serves, fills an empty store once however many nodes start, and accepts audits and key commands meanwhile', async () => {
    const nodes = await Promise.all([start({ databaseUrl, demo: true }), start({ databaseUrl, demo: true })]);

    expect(await nodes[0].container.get(Auditor).audit()).to.deep.equal({ pets: 100, findings: [] });
    for (const { url } of nodes) expect((await fetch(`${url}/health/ready`)).status).to.equal(200);
    expect(await run('audit')).to.deep.equal({ code: 0, out: '100 pets audited, 0 rules broken\n', err: '' });
    expect((await run('keys create --name till --scope store:read')).out).to.match(/^petstore_/);
    expect((await run('keys list')).out).to.include('till');
  });

  it('neither audits nor lists keys without a store, and creates none', async () => {
    for (const line of ['audit', 'keys list']) {
      const { code, err } = await run(line);

      expect(code, err).to.equal(2);
      expect(err).to.match(/^petstore: DATABASE_URL was "postgres.*must name a store that exists\.\n$/);
    }
    expect(await postgresServer.ask(databaseUrl, "select 1 from pg_tables where schemaname = 'public'")).to.deep.equal(
      [],
    );
  });

  it('starts while a replica is unavailable, and logs it', async () => {
    const replicas = { PETSTORE_POSTGRES_REPLICAS: 'postgresql://me:top-secret@127.0.0.1:1/pets' };

    const { out } = await run('serve', databaseUrl, replicas);

    expect(out).to.include('the petstore is ready');
    expect(out).to.include('a replica is out of service').and.not.include('top-secret');
    expect((await run('audit', databaseUrl, replicas)).out).to.equal('100 pets audited, 0 rules broken\n');
  });

  it('reports a wrong address in one line, without the password', async () => {
    const { code, out, err } = await run('serve', 'postgresql://me:top-secret@127.0.0.1:1/pets', { PORT: '0' });

    expect([code, out]).to.deep.equal([2, '']);
    expect(err)
      .to.match(/^petstore: The database "pets" on 127\.0\.0\.1:1 cannot be reached .*\n$/)
      .and.not.include('top');
  });

  for (const address of [
    'postgresql://me:top-secret@localhost',
    'postgres:/me:top-secret@localhost/pets',
    'postgresql://me:top-secr#t@localhost/pets',
    'postgresql://me:top-secr@t@localhost/pets%zz',
    'postgresql://localhost?password=top-secret',
    'psql://me:top-secret@localhost/pets',
    'me:top-secret@localhost/pets',
  ]) {
    it(`refuses ${address} without showing the password`, () => {
      for (const refuse of [
        () => optionsFrom({ DATABASE_URL: address }),
        () => optionsWith({ databaseUrl: address }),
      ]) {
        expect(refuse).to.throw(OptionRefused, 'DATABASE_URL').with.property('message').that.does.not.include('top');
      }
    });
  }
});
