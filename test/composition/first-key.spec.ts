import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { KeyDesk, KeyRefused } from '../../src/application/key-desk.ts';
import { Log } from '../../src/application/ports/log.ts';
import { Reader } from '../../src/application/ports/reader.ts';
import type { Petstore } from '../../src/composition/create-petstore.ts';
import { OptionRefused } from '../../src/composition/options.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { failureOf } from '../support/promises.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { freshFolder } from '../support/temporary.ts';
import { petstores, post, statusOf } from './petstores.ts';

const RANDOM = '5f0c1d3a9b7e2468ace013579bdf2468';
const FIRST = `petstore_1_${RANDOM}`;
const SECOND = `petstore_2_${RANDOM.toUpperCase()}`;

describe('The first key', () => {
  const folder = freshFolder();
  const start = petstores();
  let log: RecordingLog;

  beforeEach(() => {
    log = new RecordingLog();
  });

  const file = () => join(folder(), 'store.db');
  const begin = (config: Parameters<typeof start>[0]) => {
    const logging = new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
    return start({ auth: ['api-key'], databaseUrl: `sqlite:${file()}`, modules: [logging], ...config });
  };
  const statusWith = ({ url }: Petstore, key: string) => statusOf(`${url}/pets`, { 'X-API-Key': key });
  const keysOf = ({ container }: Petstore) => container.get(KeyDesk).list();

  it('has every scope, on a network and with a store in memory too', async () => {
    const petstore = await begin({ databaseUrl: 'memory:', host: '0.0.0.0', firstKey: FIRST });
    const local = { ...petstore, url: petstore.url.replace('0.0.0.0', '127.0.0.1') };

    expect(await statusWith(local, FIRST)).to.equal(200);
    expect(await statusWith(local, SECOND)).to.equal(401);
    expect((await post(`${local.url}/categories`, '{"name":"Dogs"}')).status).to.equal(401);
    expect(await keysOf(petstore)).to.have.lengthOf(1);
    expect((await keysOf(petstore))[0]).to.deep.include({ id: 1, name: 'First key', scopes: ['admin'] });
  });

  it('is added after the demonstration catalogue, which is for a store without keys', async () => {
    const reader = ({ container }: Petstore) => container.get(Reader);

    const asked = await begin({ databaseUrl: 'memory:', demo: true, firstKey: FIRST });
    const unasked = await begin({ databaseUrl: 'memory:', demo: undefined, firstKey: FIRST });

    expect(await reader(asked).countPets({})).to.equal(100);
    expect(await statusWith(asked, FIRST)).to.equal(200);
    expect(await reader(unasked).countPets({})).to.equal(0);
  });

  it('may be in a file, with white space at its end', async () => {
    const firstKeyFile = join(folder(), 'key');
    writeFileSync(firstKeyFile, `${FIRST}\r\n`);

    expect(await statusWith(await begin({ firstKeyFile }), FIRST)).to.equal(200);
  });

  it('is stored as a digest only, and never logged', async () => {
    await (await begin({ firstKey: FIRST })).close();

    const database = new Database(file());
    const rows = JSON.stringify(database.prepare('select * from api_keys').all());
    database.close();
    expect(rows).to.include('First key').and.not.include(RANDOM);
    expect(JSON.stringify(log.lines)).to.include('added the first API key').and.not.include(RANDOM);
  });

  it('is added once, however often the service starts', async () => {
    for (let i = 0; i < 3; i++) await (await begin({ firstKey: FIRST })).close();
    const petstore = await begin({ firstKey: FIRST });

    expect(await keysOf(petstore)).to.have.lengthOf(1);
    expect(await statusWith(petstore, FIRST)).to.equal(200);
  });

  it('is added once by nodes that start at the same time', async () => {
    const databaseUrl = await postgresServer.makeStore();
    try {
      const nodes = await Promise.all(Array.from({ length: 4 }, () => begin({ databaseUrl, firstKey: FIRST })));

      for (const node of nodes) expect(await statusWith(node, FIRST)).to.equal(200);
      expect(await keysOf(nodes[0] as Petstore)).to.have.lengthOf(1);
      await Promise.all(nodes.map((node) => node.close()));
    } finally {
      await postgresServer.takeBack(databaseUrl);
    }
  });

  it('stays valid beside another when the setting changes, until it is revoked', async () => {
    await (await begin({ firstKey: FIRST })).close();
    const petstore = await begin({ firstKey: SECOND });

    expect([await statusWith(petstore, FIRST), await statusWith(petstore, SECOND)]).to.deep.equal([200, 200]);
    await petstore.container.get(KeyDesk).revoke(1);
    expect([await statusWith(petstore, FIRST), await statusWith(petstore, SECOND)]).to.deep.equal([401, 200]);
    expect((await petstore.container.get(KeyDesk).issue({ name: 'Till', scopes: ['pets:read'] })).key.id).to.equal(3);
  });

  it('stays revoked, which is logged', async () => {
    const first = await begin({ firstKey: FIRST });
    await first.container.get(KeyDesk).revoke(1);
    await first.close();

    const petstore = await begin({ firstKey: FIRST });

    expect(await statusWith(petstore, FIRST)).to.equal(401);
    expect(log.lines.map(({ message }) => message)).to.include('the first API key is revoked');
  });

  it('never replaces another key with the same identifier', async () => {
    const first = await begin({});
    const { secret } = await first.container.get(KeyDesk).issue({ name: 'Till', scopes: ['pets:read'] });
    await first.close();

    const refusal = await failureOf(begin({ firstKey: FIRST }));

    expect(refusal).to.be.instanceOf(KeyRefused);
    expect((refusal as KeyRefused).message)
      .to.match(/^The store has another API key 1; [^\n]*petstore_2_/)
      .and.not.include(RANDOM);
    expect(await statusWith(await begin({}), secret)).to.equal(200);
  });

  for (const [what, content] of Object.entries({
    'no such file': undefined,
    'an empty file': '',
    'a file with something else': `${RANDOM}\n`,
  })) {
    it(`is refused in one line, if the setting names ${what}`, async () => {
      const firstKeyFile = join(folder(), 'key');
      if (content !== undefined) writeFileSync(firstKeyFile, content);

      const refusal = await failureOf(begin({ firstKeyFile }));

      expect(refusal).to.be.instanceOf(OptionRefused);
      expect((refusal as OptionRefused).message)
        .to.match(/^PETSTORE_FIRST_KEY_FILE was [^\n]+\.$/)
        .and.include(JSON.stringify(firstKeyFile))
        .and.not.include(RANDOM);
    });
  }

  it('is not shown if it is in place of the path of its file', async () => {
    const refusal = await failureOf(begin({ firstKeyFile: FIRST }));

    expect(refusal).to.be.instanceOf(OptionRefused);
    expect((refusal as OptionRefused).message)
      .to.match(/^PETSTORE_FIRST_KEY_FILE was "\*\*\*"; [^\n]+\.$/)
      .and.not.include(RANDOM);
  });
});
