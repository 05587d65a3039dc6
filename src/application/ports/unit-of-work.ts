import { sharedByCopies } from '../../domain/shared-by-copies.ts';
import type { ApiKeyRepository } from './api-key-repository.ts';
import type { CategoryRepository } from './category-repository.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { InventoryRepository } from './inventory-repository.ts';
import type { Ledger } from './ledger.ts';
import type { OrderRepository } from './order-repository.ts';
import type { Outbox } from './outbox.ts';
import type { PetRepository } from './pet-repository.ts';

/**
 * The writing side of the storage, as one unit of work sees it. It is of no use after that unit has ended. Beside what each
 * of its parts promises, all of them do this:
 *
 * - Exact: every text is stored to the last character, and every number exactly. Entities cannot have values outside of the
 *   limits of the store (`domain/limits.ts`), so an adapter refuses no value by itself.
 * - Each kind of thing has identifiers of its own, from 1 up to 2⁵³ − 1. None is used twice. One that is assigned after
 *   another was acknowledged is larger. There may be gaps, and units of work that overlap may be seen in any order.
 * - Together: a unit of work fails that would leave something referring to what is not there, or two things with one
 *   identifier. Saving what is not there brings nothing into being.
 */
export interface WriteScope {
  readonly categories: CategoryRepository;
  readonly pets: PetRepository;
  readonly inventory: InventoryRepository;
  readonly orders: OrderRepository;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly idempotency: IdempotencyStore;
  readonly apiKeys: ApiKeyRepository;
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
 * that is away, busy for too long, full or damaged rejects with {@link StorageUnavailable} too, and with
 * {@link CommitInDoubt} where it cannot know whether all of it is kept or nothing.
 */
abstract class UnitOfWorkPort {
  abstract write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result>;
}

export type UnitOfWork = UnitOfWorkPort;
export const UnitOfWork = sharedByCopies('UnitOfWork', UnitOfWorkPort);

/** The storage cannot do its work now; nothing was changed, unless it is {@link CommitInDoubt}. */
class StorageUnavailableClass extends Error {
  override readonly name: string = 'StorageUnavailable';
}

export type StorageUnavailable = StorageUnavailableClass;
export const StorageUnavailable = sharedByCopies('StorageUnavailable', StorageUnavailableClass);

/** A storage beyond a network was lost while it kept a unit of work, and did not come back in time to be asked whether it did. */
class CommitInDoubtClass extends StorageUnavailable {
  override readonly name = 'CommitInDoubt';
}

export type CommitInDoubt = CommitInDoubtClass;
export const CommitInDoubt = sharedByCopies('CommitInDoubt', CommitInDoubtClass);
