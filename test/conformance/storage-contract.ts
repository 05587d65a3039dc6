import { describeAllOrNothing } from './storage/all-or-nothing.ts';
import { describeAloneness } from './storage/aloneness.ts';
import { describeApiKeys } from './storage/api-keys.ts';
import { describeCopies } from './storage/copies.ts';
import { describeIdentifiers } from './storage/identifiers.ts';
import { describeLifecycle } from './storage/lifecycle.ts';
import { describeLimit } from './storage/limit.ts';
import { describeLists } from './storage/lists.ts';
import { describeNames } from './storage/names.ts';
import { describeOutcomes } from './storage/outcomes.ts';
import { describeReferences } from './storage/references.ts';
import { describeScope } from './storage/scope.ts';
import type { OpenStorage } from './storage/storage-under-test.ts';
import { describeText } from './storage/text.ts';
import { describeUnseen } from './storage/unseen.ts';
import { describeViews } from './storage/views.ts';

export type { OpenStorage, StorageUnderTest } from './storage/storage-under-test.ts';

/**
 * The promises of the ports `UnitOfWork`, `Reader` and `Storage`, as tests that every adapter passes. `open` gives an empty
 * storage of its own each time; the suite disposes of every one.
 */
export function storageContract(name: string, open: OpenStorage): void {
  describe(`${name} keeps the promises of a storage:`, function () {
    this.timeout(20_000);

    describe('a unit of work', () => {
      describeAllOrNothing(open);
      describeAloneness(open);
      describeUnseen(open);
      describeCopies(open);
      describeScope(open);
      describeLimit(open);
    });
    describe('a repository', () => {
      describeIdentifiers(open);
      describeNames(open);
      describeReferences(open);
      describeOutcomes(open);
      describeApiKeys(open);
    });
    describe('a reader', () => {
      describeViews(open);
      describeLists(open);
      describeText(open);
    });
    describe('the storage as a whole', () => {
      describeLifecycle(open);
    });
  });
}
