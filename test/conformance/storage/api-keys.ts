import { expect } from 'chai';
import { ApiKey, type ApiKeySnapshot } from '../../../src/domain/api-key.ts';
import { SCOPES } from '../../../src/domain/scope.ts';
import { failureOf, gate, pass } from '../../support/promises.ts';
import { freshStorage, type OpenStorage } from './storage-under-test.ts';

/** Every fact at its most. */
const FULL: ApiKeySnapshot = {
  id: 1,
  name: '\u{1f600} "Ὀδυσσεύς" \'s \\ ﬁ',
  scopes: SCOPES,
  digest: 'Zm9v-_',
  createdAt: 253_402_300_799_999,
  expiresAt: 0,
  revokedAt: -5,
};
/** No fact that a key can do without. */
const BARE: ApiKeySnapshot = { id: 2, name: 'x', scopes: [], digest: 'd', createdAt: 0 };

export function describeApiKeys(open: OpenStorage): void {
  describe('of API keys', () => {
    const storage = freshStorage(open);

    const add = (key: ApiKeySnapshot) => storage().work.write(({ apiKeys }) => apiKeys.add(ApiKey.recall(key)));
    const locked = (id: number) => storage().work.write(async ({ apiKeys }) => (await apiKeys.lock(id))?.snapshot());

    for (const [how, key] of Object.entries({
      'that has every fact': FULL,
      'that has only what it needs': BARE,
      'of the beginning of time': { ...BARE, expiresAt: 0, revokedAt: 0 },
    })) {
      it(`gives back a key ${how}, to units of work and to readers`, async () => {
        await add(key);

        expect(await locked(key.id)).to.deep.equal(key);
        expect(await storage().reader.apiKey(key.id)).to.deep.equal(key);
        expect(await storage().reader.apiKeys()).to.deep.equal([key]);
      });
    }

    it('answers absence with undefined, and with an empty list', async () => {
      const { reader } = storage();
      expect(await reader.apiKeys()).to.deep.equal([]);
      await add(FULL);

      for (const id of [0, -1, 2, 1.5, Number.MAX_SAFE_INTEGER]) {
        expect(await reader.apiKey(id), `${id}`).to.equal(undefined);
        expect(await locked(id), `${id}`).to.equal(undefined);
      }
    });

    it('lists them by rising identifier, whatever the order in which they came or changed', async () => {
      const top = Number.MAX_SAFE_INTEGER;
      for (const id of [10, 2, top, 9]) await add({ ...BARE, id });
      await storage().work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall({ ...BARE, id: 2, name: 'y' })));

      const listed = await storage().reader.apiKeys();

      expect(listed.map(({ id }) => id)).to.deep.equal([2, 9, 10, top]);
      expect((await storage().reader.apiKey(top))?.id).to.equal(top);
      expect(await storage().reader.apiKey(top - 1)).to.equal(undefined);
    });

    it('saves every fact, takes away what is gone, and changes no other key', async () => {
      const { work, reader } = storage();
      await add(FULL);
      await add(BARE);
      const changed = { ...BARE, id: 1, name: 'renamed' };

      await work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall(changed)));
      expect(await reader.apiKeys()).to.deep.equal([changed, BARE]);

      await work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall(FULL)));
      expect(await reader.apiKeys()).to.deep.equal([FULL, BARE]);
    });

    it('is seen at once when its unit of work has ended, and not before', async () => {
      const { work, reader } = storage();
      await add(FULL);
      const worked = gate();
      const mayEnd = gate();
      const underWay = work.write(async ({ apiKeys }) => {
        const key = await apiKeys.lock(1);
        key?.expireAt(undefined);
        if (key) await apiKeys.save(key);
        await apiKeys.add(ApiKey.issue(BARE));
        worked.open();
        await mayEnd.opened;
      });
      await worked.opened;

      const meanwhile = await Promise.all([reader.apiKey(1), reader.apiKey(2), reader.apiKeys()]).finally(mayEnd.open);
      await underWay;

      expect(meanwhile).to.deep.equal([FULL, undefined, [FULL]]);
      expect(await reader.apiKey(1)).not.to.have.property('expiresAt');
      expect(await reader.apiKey(2)).to.deep.equal(BARE);
      expect(await reader.apiKeys()).to.have.lengthOf(2);
    });

    it('is undone with its unit of work', async () => {
      await add(FULL);
      const failing = storage().work.write(async ({ apiKeys }) => {
        await apiKeys.save(ApiKey.recall({ ...BARE, id: 1 }));
        await apiKeys.add(ApiKey.recall(BARE));
        throw new Error('undone');
      });
      await failureOf(failing);

      expect(await storage().reader.apiKeys()).to.deep.equal([FULL]);
    });

    it('is refused where there is one with that identifier', async () => {
      await add(FULL);

      expect(await failureOf(add({ ...BARE, id: 1 }))).to.be.instanceOf(Error);

      expect(await storage().reader.apiKeys()).to.deep.equal([FULL]);
    });

    it('loses no change when several units of work change one at once', async () => {
      const { work, reader } = storage();
      await add(BARE);
      const lengthen = () =>
        work.write(async ({ apiKeys }) => {
          const key = await apiKeys.lock(2);
          await pass();
          key?.expireAt((key.snapshot().expiresAt ?? 0) + 1);
          if (key) await apiKeys.save(key);
        });

      await Promise.all(Array.from({ length: 10 }, lengthen));

      expect(await reader.apiKey(2)).to.include({ expiresAt: 10 });
    });

    it('comes and goes as a copy', async () => {
      const { work, reader } = storage();
      const scopes: ApiKeySnapshot['scopes'][number][] = ['admin'];
      await work.write(async ({ apiKeys }) => {
        const key = ApiKey.issue({ ...BARE, scopes });
        await apiKeys.add(key);
        key.revoke(9);
        scopes.push('pets:read');

        const mine = await apiKeys.lock(2);
        mine?.expireAt(9);
        Reflect.set(mine?.snapshot().scopes ?? [], 0, 'store:read');
      });
      const kept = { ...BARE, scopes: ['admin'] };

      for (const shown of [await reader.apiKey(2), ...(await reader.apiKeys())]) {
        expect(shown).to.deep.equal(kept);
        Reflect.set(shown?.scopes ?? [], 0, 'spoilt');
        Object.assign(shown ?? {}, { name: 'spoilt' });
      }

      expect(await reader.apiKey(2)).to.deep.equal(kept);
      expect(await locked(2)).to.deep.equal(kept);
    });
  });
}
