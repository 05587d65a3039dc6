import type { ApiKeyRepository } from './api-key-repository.ts';
import type { CategoryRepository } from './category-repository.ts';
import type { InventoryRepository } from './inventory-repository.ts';
import type { Ledger } from './ledger.ts';
import type { OrderRepository } from './order-repository.ts';
import type { Outbox } from './outbox.ts';
import type { OutcomeRepository } from './outcome-repository.ts';
import type { PetRepository } from './pet-repository.ts';

/** The writing side of the storage, as one unit of work sees it. It is of no use after that unit has ended. */
export interface WriteScope {
  readonly categories: CategoryRepository;
  readonly pets: PetRepository;
  readonly inventory: InventoryRepository;
  readonly orders: OrderRepository;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly outcomes: OutcomeRepository;
  readonly apiKeys: ApiKeyRepository;
  /** Whether no category, pet or order was ever kept in this store, not even one that was deleted since. */
  isUntouched(): Promise<boolean>;
}

/**
 * Changes the store. Every adapter keeps these promises:
 *
 * - All or nothing: when `work` resolves, all that it did is kept before `write` resolves; when `work` rejects, or the
 *   storage fails at any point, nothing of it is kept, and `write` rejects. What `work` threw comes out as it is.
 * - Alone: units of work that touch the same things act as if one came after the other. What a unit of work has locked or
 *   written, no other changes until it has ended.
 * - Unseen: nobody outside sees what a unit of work did before it has ended well.
 * - Copies: entities that come out are the caller's own. Changing one changes nothing until it is saved.
 * - Absence is an answer: what is not there is `undefined`, never an error.
 * - A scope that is used after its unit has ended throws, and does nothing.
 *
 * `work` touches the world through its scope only and starts no other unit of work. A storage that was disturbed may undo
 * it and do it again from the start, with another scope: it must do the same each time that it is called. One that does not
 * come to its end in the time that the storage allows is undone and rejected with {@link StorageUnavailable}. A storage
 * that is away, busy for too long, full or damaged rejects with {@link StorageUnavailable} too.
 */
export abstract class UnitOfWork {
  abstract write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result>;
}

/**
 * The storage cannot do its work now; nothing was changed. Only where a storage beyond a network was lost while it kept a
 * unit of work, and does not come back in time to be asked, that is not known; its message says so then.
 */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
