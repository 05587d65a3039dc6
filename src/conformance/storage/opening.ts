import assert from 'node:assert/strict';
import { type Storage, StorageRefused } from '../../application/ports/storage.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { itUnless, openedForEach, type TestFunctions } from '../test-functions.ts';
import type { StorageUnderTest, UnopenedStorage } from './storage-under-test.ts';

export function openingChecks({ unopened, gaps }: StorageUnderTest, test: TestFunctions): void {
  const { describe } = test;
  const it = itUnless(gaps?.unopened, test);
  const inPlaceWith = (content: 'nothing' | 'something foreign') =>
    openedForEach(async (): Promise<UnopenedStorage> => {
      assert.ok(unopened, 'there is no `unopened`; if the adapter cannot support it, declare the gap "unopened"');
      return unopened(content);
    }, test);

  describe('where no store exists,', () => {
    const place = inPlaceWith('nothing');

    it('refuses to open without migrating, and creates nothing', async () => {
      const { storage } = place;
      const before = await place.content();

      await assertRefused(storage, false);

      assert.deepEqual(await place.content(), before);
      assert.notEqual(await storage.isThere?.(), true);
    });

    it('creates a store when it is opened', async () => {
      const { storage } = place;
      assert.notEqual(await storage.isThere?.(), true, 'there was a store before');

      await storage.open();

      await storage.check();
      assert.notEqual(await storage.isThere?.(), false, 'there is still no store');
    });

    it('does not respond before it is opened', async () => {
      assertInstance(await failureOf((async () => place.storage.check())()), StorageUnavailable);
    });
  });

  describe('where something of another program is,', () => {
    const place = inPlaceWith('something foreign');

    for (const migrate of [true, false]) {
      it(`refuses to open ${migrate ? 'with' : 'without'} migrating, and changes nothing`, async () => {
        const before = await place.content();

        await assertRefused(place.storage, migrate);

        assert.deepEqual(await place.content(), before);
      });
    }
  });
}

async function assertRefused(storage: Storage, migrate: boolean): Promise<void> {
  const refusal = await failureOf((async () => storage.open({ migrate }))());
  assertInstance(refusal, StorageRefused);
  assert.match(refusal.message, /^\S[^\n]+$/, 'the message must be one line that says what to do');
}
