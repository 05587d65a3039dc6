import { expect } from 'chai';
import { program } from '../../src/adapters/cli/program.ts';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { parseDateTime } from '../../src/api/date-time.ts';
import { KeyDesk, KeyNotFound } from '../../src/application/key-desk.ts';
import { OPENING, Shop } from '../application/shop.ts';
import { failureOf } from '../support/promises.ts';

/** Thrown in place of the end of the process. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

describe('The commands about keys', () => {
  let shop: Shop;
  let desk: KeyDesk;
  let [out, err] = ['', ''];
  let begun: boolean[];

  beforeEach(() => {
    shop = new Shop();
    desk = new KeyDesk(shop.work, shop.reader, shop.clock, new NodeSecrets());
    begun = [];
  });

  /** Runs `petstore keys …`. */
  async function keys(line: string): Promise<void> {
    const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, bare]) => quoted ?? bare ?? '');
    [out, err] = ['', ''];
    const terminal = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exit: (code: number) => {
        throw new Exit(code);
      },
      exitCode: () => undefined,
    };
    const tools = {
      parseDateTime,
      async withKeyDesk(action: (desk: KeyDesk) => Promise<void>, mayCreate?: string) {
        begun.push(mayCreate !== undefined);
        await action(desk);
      },
    };
    const nothing = async () => expect.fail('This is another command.');
    const others = {
      version: '1.2.3',
      serve: nothing,
      audit: nothing,
      printDocument: nothing,
      conformance: { subjects: [], run: async function* () {}, reportOf: async function* () {} },
    };
    const petstore = program({ ...others, keys: tools }, terminal);
    await petstore.parseAsync(['node', 'petstore', 'keys', ...words]);
  }

  it('create a key, print only its secret on standard output, and the rest on standard error', async () => {
    await keys("create --name 'Shop till' --scope store:write pets:read --expires 2027-01-01T00:00:00+01:00");

    const [, secret] = /^(petstore_1_[\w-]{43})\n$/.exec(out) ?? [];
    expect(secret, out).to.be.a('string');
    expect(err)
      .to.equal(
        'Key 1, "Shop till", has the scopes pets:read, store:write and expires at 2026-12-31T23:00:00.000Z. Store the secret safely: it is shown only once.\n',
      )
      .and.to.not.include(secret);
    expect(await desk.list()).to.deep.equal([
      {
        id: 1,
        name: 'Shop till',
        scopes: ['pets:read', 'store:write'],
        state: 'valid',
        createdAt: OPENING,
        expiresAt: Date.UTC(2026, 11, 31, 23),
      },
    ]);
  });

  it('accept scopes in several options', async () => {
    await keys('create --scope pets:read --name One --scope admin');

    expect(err).to.equal(
      'Key 1, "One", has the scopes pets:read, admin and does not expire. Store the secret safely: it is shown only once.\n',
    );
  });

  it('list the keys in a table, each in one line', async () => {
    await keys('create --name One --scope admin --expires 2026-11-21T10:00:00Z');
    await keys("create --name 'Number two' --scope pets:read events:read");
    await keys('create --name Three --scope admin');
    await keys('revoke 3');
    shop.clock.set(OPENING + 3_600_000);

    await keys('list');

    expect([err, ...out.split('\n')]).to.deep.equal([
      '',
      'id  name        scopes                 created                   expires                   state',
      '1   One         admin                  2026-11-21T09:00:00.000Z  2026-11-21T10:00:00.000Z  expired',
      '2   Number two  pets:read events:read  2026-11-21T09:00:00.000Z  never                     valid',
      '3   Three       admin                  2026-11-21T09:00:00.000Z  never                     revoked',
      '',
    ]);
  });

  it('list the keys as JSON', async () => {
    await keys('list --json');
    expect([JSON.parse(out), err]).to.deep.equal([[], '']);
    await keys('create --name One --scope admin --expires 2027-01-01T00:00:00Z');
    await keys('revoke 1');

    await keys('list --json');

    expect(JSON.parse(out)).to.deep.equal([
      {
        id: 1,
        name: 'One',
        scopes: ['admin'],
        state: 'revoked',
        createdAt: '2026-11-21T09:00:00.000Z',
        expiresAt: '2027-01-01T00:00:00.000Z',
        revokedAt: '2026-11-21T09:00:00.000Z',
      },
    ]);
  });

  it('revoke a key, and change its expiry', async () => {
    await keys('create --name One --scope admin');

    await keys('expire 1 2027-01-01T00:00:00Z');
    expect([out, err]).to.deep.equal([
      '',
      'Key 1, "One", has the scopes admin and expires at 2027-01-01T00:00:00.000Z.\n',
    ]);
    await keys('expire 1 2026-01-01T00:00:00Z');
    expect(err).to.equal('Key 1, "One", expired at 2026-01-01T00:00:00.000Z.\n');
    await keys('expire 1 never');
    expect(err).to.equal('Key 1, "One", has the scopes admin and does not expire.\n');
    for (let i = 0; i < 2; i++) {
      await keys('revoke 1');
      expect([out, err]).to.deep.equal(['', 'Key 1, "One", was revoked at 2026-11-21T09:00:00.000Z.\n']);
    }
  });

  it('create a store for a new key only', async () => {
    await keys('create --name One --scope admin');
    await keys('list');
    await keys('expire 1 never');
    await keys('revoke 1');

    expect(begun).to.deep.equal([true, false, false, false]);
  });

  it('pass refusals of the desk to their caller', async () => {
    expect(await failureOf(keys('revoke 1'))).to.be.instanceOf(KeyNotFound);
    expect([out, err]).to.deep.equal(['', '']);
  });

  describe('exit with 2 and one line that says what is wrong', () => {
    const WRONG: Record<string, [line: string, message: string]> = {
      'without a name': ['create --scope admin', '--name'],
      'without a scope': ['create --name One', '--scope'],
      'with a scope that there is not': ['create --name One --scope pets', 'pets:read'],
      'with an end that is no instant': ['create --name One --scope admin --expires tomorrow', '2027-12-31T23:59:59Z'],
      'with an option that there is not': ['list --jsno', '--json'],
      'with a number that is none': ['revoke 1e3', 'id of a key'],
      'with a number that no key can have': ['expire 9007199254740993 never', 'id of a key'],
      'with nothing to end': ['revoke', 'id'],
      'with more than one to end': ['revoke 1 2', 'arguments'],
      'with another end that is no instant': ['expire 1 soon', '2027-12-31T23:59:59Z'],
      'with a command that there is not': ['forget 1', 'forget'],
    };

    for (const [how, [line, message]] of Object.entries(WRONG)) {
      it(how, async () => {
        const end = await failureOf(keys(line));

        expect(end).to.be.instanceOf(Exit).and.have.property('code', 2);
        expect([begun, out]).to.deep.equal([[], '']);
        expect(err)
          .to.match(/^petstore: [^\n]+\n$/)
          .and.to.include(message);
      });
    }
  });

  it('print their help', async () => {
    const end = await failureOf(keys('create --help'));

    expect(end).to.be.instanceOf(Exit).and.have.property('code', 0);
    expect(out).to.include('--scope').and.to.include('webhooks:write');
  });
});
