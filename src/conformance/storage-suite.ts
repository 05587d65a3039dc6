import { abortChecks } from './storage/abort.ts';
import { allOrNothingChecks } from './storage/all-or-nothing.ts';
import { apiKeysChecks } from './storage/api-keys.ts';
import { batchesChecks } from './storage/batches.ts';
import { bigValuesChecks } from './storage/big-values.ts';
import { defensiveCopiesChecks } from './storage/defensive-copies.ts';
import { eventLogChecks } from './storage/event-log.ts';
import { eventsChecks } from './storage/events.ts';
import { exactTextChecks } from './storage/exact-text.ts';
import { idempotencyStoreChecks } from './storage/idempotency-store.ts';
import { identifiersChecks } from './storage/identifiers.ts';
import { isolationChecks } from './storage/isolation.ts';
import { lifecycleChecks } from './storage/lifecycle.ts';
import { everyListChecks } from './storage/lists.ts';
import { namesChecks } from './storage/names.ts';
import { openingChecks } from './storage/opening.ts';
import { referencesChecks } from './storage/references.ts';
import { reopeningChecks } from './storage/reopening.ts';
import { scopeChecks } from './storage/scope.ts';
import { shipDatesChecks } from './storage/ship-dates.ts';
import type { StorageUnderTest } from './storage/storage-under-test.ts';
import { textChecks } from './storage/text.ts';
import { viewsChecks } from './storage/views.ts';
import { visibilityChecks } from './storage/visibility.ts';
import { webhooksChecks } from './storage/webhooks.ts';
import { openedForEach, type TestFunctions } from './test-functions.ts';

/** The contracts of the ports `UnitOfWork` (with its repositories), `Reader` and `Storage`. */
export function storageSuite(target: StorageUnderTest, test: TestFunctions): void {
  const { describe } = test;
  describe('a storage', () => {
    const storage = openedForEach(() => target.open(), test);
    describe('UnitOfWork', () => {
      allOrNothingChecks(storage, test);
      isolationChecks(storage, test);
      batchesChecks(storage, test);
      visibilityChecks(storage, test);
      defensiveCopiesChecks(storage, test);
      scopeChecks(storage, test);
      abortChecks(storage, test);
    });
    identifiersChecks(storage, test);
    describe('WriteScope', () => {
      bigValuesChecks(storage, test);
      exactTextChecks(storage, test);
      referencesChecks(storage, test);
    });
    describe('CategoryRepository', () => namesChecks(storage, test));
    eventsChecks(storage, test);
    eventLogChecks(storage, test);
    idempotencyStoreChecks(storage, test);
    apiKeysChecks(storage, test);
    webhooksChecks(storage, test);
    describe('Reader', () => {
      viewsChecks(storage, test);
      everyListChecks(storage, test);
      textChecks(storage, test);
      shipDatesChecks(storage, test);
    });
    describe('Storage', () => {
      lifecycleChecks(storage, test);
      reopeningChecks(storage, target.gaps, test);
    });
  });
  describe('a storage that is not open yet', () => {
    describe('Storage', () => openingChecks(target, test));
  });
}
