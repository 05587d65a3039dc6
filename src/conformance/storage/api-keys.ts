import assert from 'node:assert/strict';
import { ApiKey, type ApiKeySnapshot } from '../../domain/api-key.ts';
import { SCOPES } from '../../domain/scope.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { latch, yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Every optional fact, and extreme values. */
const FULL: ApiKeySnapshot = {
  id: 1,
  name: '\u{1f600} "Ὀδυσσεύς" \'s \\ ﬁ',
  scopes: SCOPES,
  digest: 'Zm9v-_',
  createdAt: 253_402_300_799_999,
  expiresAt: 0,
  revokedAt: -5,
};
/** Required facts only. */
const BARE: ApiKeySnapshot = { id: 2, name: 'x', scopes: [], digest: 'd', createdAt: 0 };

export function apiKeysChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('ApiKeyRepository', () => {
    const add = (storage: OpenedStorage, key: ApiKeySnapshot) =>
      storage.work.write(({ apiKeys }) => apiKeys.add(ApiKey.recall(key)));
    const locked = (storage: OpenedStorage, id: number) =>
      storage.work.write(async ({ apiKeys }) => (await apiKeys.lock(id))?.snapshot());

    for (const [how, key] of Object.entries({
      'with every fact': FULL,
      'with required facts only': BARE,
      'with the instant 0': { ...BARE, expiresAt: 0, revokedAt: 0 },
    })) {
      it(`returns a key ${how}, to units of work and to readers`, async () => {
        await add(storage, key);

        assert.deepEqual(await locked(storage, key.id), key);
        assert.deepEqual(await storage.reader.apiKey(key.id), key);
        assert.deepEqual(await storage.reader.apiKeys(), [key]);
      });
    }

    it('returns undefined or an empty list for what does not exist', async () => {
      const { reader } = storage;
      assert.deepEqual(await reader.apiKeys(), []);
      await add(storage, FULL);

      for (const id of [0, -1, 2, 1.5, Number.MAX_SAFE_INTEGER]) {
        assert.equal(await reader.apiKey(id), undefined, `${id}`);
        assert.equal(await locked(storage, id), undefined, `${id}`);
      }
    });

    it('lists them by ascending identifier, in any order of creation and change', async () => {
      const top = Number.MAX_SAFE_INTEGER;
      for (const id of [10, 2, top, 9]) await add(storage, { ...BARE, id });
      await storage.work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall({ ...BARE, id: 2, name: 'y' })));

      const listed = await storage.reader.apiKeys();

      assert.deepEqual(
        listed.map(({ id }) => id),
        [2, 9, 10, top],
      );
      assert.equal((await storage.reader.apiKey(top))?.id, top);
      assert.equal(await storage.reader.apiKey(top - 1), undefined);
    });

    it('saves every fact, removes absent ones, and changes no other key', async () => {
      const { work, reader } = storage;
      await add(storage, FULL);
      await add(storage, BARE);
      const changed = { ...BARE, id: 1, name: 'renamed' };

      await work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall(changed)));
      assert.deepEqual(await reader.apiKeys(), [changed, BARE]);

      await work.write(({ apiKeys }) => apiKeys.save(ApiKey.recall(FULL)));
      assert.deepEqual(await reader.apiKeys(), [FULL, BARE]);
    });

    it('is visible as soon as its unit of work has ended, and not before', async () => {
      const { work, reader } = storage;
      await add(storage, FULL);
      const worked = latch();
      const mayEnd = latch();
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

      assert.deepEqual(meanwhile, [FULL, undefined, [FULL]]);
      assert.ok(!Object.hasOwn((await reader.apiKey(1)) ?? {}, 'expiresAt'), 'there is still a key "expiresAt"');
      assert.deepEqual(await reader.apiKey(2), BARE);
      assert.equal((await reader.apiKeys()).length, 2);
    });

    it('is rolled back with its unit of work', async () => {
      await add(storage, FULL);
      const failing = storage.work.write(async ({ apiKeys }) => {
        await apiKeys.save(ApiKey.recall({ ...BARE, id: 1 }));
        await apiKeys.add(ApiKey.recall(BARE));
        throw new Error('undone');
      });
      await failureOf(failing);

      assert.deepEqual(await storage.reader.apiKeys(), [FULL]);
    });

    it('is rejected if its identifier exists', async () => {
      await add(storage, FULL);

      assertInstance(await failureOf(add(storage, { ...BARE, id: 1 })), Error);

      assert.deepEqual(await storage.reader.apiKeys(), [FULL]);
    });

    it('loses no change when several units of work change one key concurrently', async () => {
      const { work, reader } = storage;
      await add(storage, BARE);
      const lengthen = () =>
        work.write(async ({ apiKeys }) => {
          const key = await apiKeys.lock(2);
          await yieldToEventLoop();
          key?.expireAt((key.snapshot().expiresAt ?? 0) + 1);
          if (key) await apiKeys.save(key);
        });

      await Promise.all(Array.from({ length: 10 }, lengthen));

      assert.partialDeepStrictEqual(await reader.apiKey(2), { expiresAt: 10 });
    });

    it('is accepted and returned as a copy', async () => {
      const { work, reader } = storage;
      await work.write(async ({ apiKeys }) => {
        const scopes: ApiKeySnapshot['scopes'][number][] = ['admin'];
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
        assert.deepEqual(shown, kept);
        Reflect.set(shown?.scopes ?? [], 0, 'changed');
        Object.assign(shown ?? {}, { name: 'changed' });
      }

      assert.deepEqual(await reader.apiKey(2), kept);
      assert.deepEqual(await locked(storage, 2), kept);
    });
  });
}
