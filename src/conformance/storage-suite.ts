import type { Suite } from './check.ts';
import { suiteOf } from './plan.ts';
import { planAllOrNothing } from './storage/all-or-nothing.ts';
import { planApiKeys } from './storage/api-keys.ts';
import { planBatches } from './storage/batches.ts';
import { planBigValues } from './storage/big-values.ts';
import { planDefensiveCopies } from './storage/defensive-copies.ts';
import { planEvents } from './storage/events.ts';
import { planIdempotencyStore } from './storage/idempotency-store.ts';
import { planIdentifiers } from './storage/identifiers.ts';
import { planIsolation } from './storage/isolation.ts';
import { planLifecycle } from './storage/lifecycle.ts';
import { planLimit } from './storage/limit.ts';
import { planLists } from './storage/lists.ts';
import { planNames } from './storage/names.ts';
import { planReferences } from './storage/references.ts';
import { planReopening } from './storage/reopening.ts';
import { planScope } from './storage/scope.ts';
import { planShipDates } from './storage/ship-dates.ts';
import type { StoragePlan, StorageUnderTest } from './storage/storage-under-test.ts';
import { planText } from './storage/text.ts';
import { planViews } from './storage/views.ts';
import { planVisibility } from './storage/visibility.ts';

/** The promises of the ports `UnitOfWork`, `Reader` and `Storage`. `name` is how people shall call the adapter. */
export function storageSuite(name: string, { open, gaps }: StorageUnderTest): Suite {
  return suiteOf(`${name} as a storage:`, { port: 'UnitOfWork', open, gaps }, ({ group }) => {
    group('a unit of work', (plan) => {
      planAllOrNothing(plan);
      planIsolation(plan);
      planBatches(plan);
      planVisibility(plan);
      planDefensiveCopies(plan);
      planScope(plan);
      planLimit(plan, open);
    });
    group('a repository', (plan) => {
      planIdentifiers(plan);
      planNames(plan);
      planBigValues(plan);
      planEvents(plan);
      planReferences(plan);
      planIdempotencyStore(plan);
      planApiKeys(plan);
    });
    const reading = (plan: StoragePlan) => {
      planViews(plan);
      planLists(plan);
      planText(plan);
      planShipDates(plan);
    };
    group('a reader', reading, { port: 'Reader' });
    const living = (plan: StoragePlan) => {
      planLifecycle(plan);
      planReopening(plan);
    };
    group('the storage as a whole', living, { port: 'Storage' });
  });
}
