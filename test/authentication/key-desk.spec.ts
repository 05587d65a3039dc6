import { expect } from 'chai';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { KeyDesk, KeyNotFound, KeyRefused } from '../../src/application/key-desk.ts';
import { SCOPES, type Scope } from '../../src/domain/scope.ts';
import { OPENING, Shop } from '../application/shop.ts';
import { failureOf } from '../support/promises.ts';

describe('The key desk', () => {
  const secrets = new NodeSecrets();
  let shop: Shop;
  let desk: KeyDesk;

  beforeEach(() => {
    shop = new Shop();
    desk = new KeyDesk(shop.work, shop.reader, shop.clock, secrets);
  });

  const issue = (wish: Partial<Parameters<KeyDesk['issue']>[0]> = {}) =>
    desk.issue({ name: 'Till', scopes: ['pets:read'], ...wish });

  describe('issues a key', () => {
    it('with a secret that names it, and of which only the digest is stored', async () => {
      const { key, secret } = await issue({ scopes: ['pets:read', 'store:write'], expiresAt: OPENING + 1 });

      expect(key).to.deep.equal({
        id: 1,
        name: 'Till',
        scopes: ['pets:read', 'store:write'],
        createdAt: OPENING,
        expiresAt: OPENING + 1,
        state: 'valid',
      });
      expect(secret).to.match(/^petstore_1_[\w-]{43}$/);
      const kept = JSON.stringify(await shop.reader.apiKey(1));
      expect(kept).to.include(secrets.digest(secret));
      expect(kept).to.not.include(secret.slice('petstore_1_'.length));
    });

    it('with its own identifier and secret', async () => {
      const issued = [await issue(), await issue(), await issue()];

      expect(issued.map(({ key }) => key.id)).to.deep.equal([1, 2, 3]);
      expect(new Set(issued.map(({ secret }) => secret.slice('petstore_1_'.length))).size).to.equal(3);
    });

    it('under a normalised name', async () => {
      const { key } = await issue({ name: '  Cafe\u0301 till ' });

      expect(key.name).to.equal('Café till');
    });

    it('under a name of 1 to 100 characters, however they are written', async () => {
      for (const name of ['T', 't'.repeat(100), '🐕'.repeat(100)]) {
        expect((await issue({ name })).key.name).to.equal(name);
      }
    });

    it('never under another name', async () => {
      for (const name of [
        '',
        '  ',
        't'.repeat(101),
        '🐕'.repeat(101),
        'a\0b',
        'a\nb',
        'a\u001b[2Jb',
        'a\u0085b',
        '\ud800',
      ]) {
        const refusal = await failureOf(issue({ name }));

        expect(refusal, JSON.stringify(name)).to.be.instanceOf(KeyRefused);
        expect((refusal as Error).message).to.include('100 characters');
      }
      expect(await desk.list()).to.deep.equal([]);
    });

    it('with every scope once, whatever their order', async () => {
      const scopes = [...SCOPES, ...SCOPES].reverse();

      expect((await issue({ scopes })).key.scopes).to.deep.equal(SCOPES);
    });

    it('never without a scope', async () => {
      for (const scopes of [[], ['pets'] as unknown as Scope[]]) {
        const refusal = await failureOf(issue({ scopes }));

        expect(refusal).to.be.instanceOf(KeyRefused);
        expect((refusal as Error).message).to.include('webhooks:write');
      }
    });

    it('never with an expiry in the past', async () => {
      for (const expiresAt of [0, OPENING - 1, OPENING]) {
        expect(await failureOf(issue({ expiresAt }))).to.be.instanceOf(KeyRefused);
      }
      expect((await issue()).key.id).to.equal(1);
    });
  });

  describe('lists the keys', () => {
    it('with the state of each', async () => {
      await issue({ name: 'One', expiresAt: OPENING + 1_000 });
      await issue({ name: 'Two', expiresAt: OPENING + 2_000 });
      await issue({ name: 'Three' });
      await desk.revoke(3);
      shop.clock.set(OPENING + 1_000);

      const keys = await desk.list();

      expect(keys.map(({ id, name, state }) => [id, name, state])).to.deep.equal([
        [1, 'One', 'expired'],
        [2, 'Two', 'valid'],
        [3, 'Three', 'revoked'],
      ]);
    });

    it('never with a digest', async () => {
      const { secret } = await issue();
      const views = [await desk.list(), (await issue()).key, await desk.expireAt(1, OPENING + 5), await desk.revoke(1)];

      expect(JSON.stringify(views)).to.not.include('digest').and.not.include(secrets.digest(secret));
    });
  });

  describe('revokes a key', () => {
    it('at once, and permanently', async () => {
      await issue({ expiresAt: OPENING + 1_000 });
      shop.clock.set(OPENING + 7);

      const revoked = await desk.revoke(1);

      expect(revoked).to.include({ state: 'revoked', revokedAt: OPENING + 7 });
      shop.clock.set(OPENING + 5_000);
      expect((await desk.expireAt(1, undefined)).state).to.equal('revoked');
      expect(await desk.list()).to.deep.equal([await desk.revoke(1)]);
    });

    it('once: a second time changes nothing', async () => {
      await issue();
      const first = await desk.revoke(1);
      shop.clock.set(OPENING + 7);

      expect(await desk.revoke(1)).to.deep.equal(first);
    });

    it('only if it exists', async () => {
      await issue();

      const refusal = await failureOf(desk.revoke(2));

      expect(refusal).to.be.instanceOf(KeyNotFound);
      expect((refusal as Error).message).to.include('No API key has the id 2');
      expect((await desk.list())[0]?.state).to.equal('valid');
    });
  });

  describe('lets a key expire', () => {
    it('at another instant, or never', async () => {
      await issue({ expiresAt: OPENING + 1_000 });

      expect(await desk.expireAt(1, OPENING + 5_000)).to.include({ expiresAt: OPENING + 5_000, state: 'valid' });
      expect((await desk.list())[0]).to.include({ expiresAt: OPENING + 5_000 });
      expect(await desk.expireAt(1, OPENING)).to.include({ expiresAt: OPENING, state: 'expired' });
      expect(await desk.expireAt(1, undefined)).to.not.have.property('expiresAt');
      expect((await desk.list())[0])
        .to.include({ state: 'valid' })
        .and.not.have.property('expiresAt');
    });

    it('only if it exists', async () => {
      expect(await failureOf(desk.expireAt(1, undefined))).to.be.instanceOf(KeyNotFound);
    });
  });
});
