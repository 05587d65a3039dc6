import { sharedByCopies } from '../../domain/shared-by-copies.ts';
import type { ApiKeyRepository } from './api-key-repository.ts';
import type { CategoryRepository } from './category-repository.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { InventoryRepository } from './inventory-repository.ts';
import type { Ledger } from './ledger.ts';
import type { OrderRepository } from './order-repository.ts';
import type { Outbox } from './outbox.ts';
import type { PetRepository } from './pet-repository.ts';
import type { WebhookDeliveryRepository } from './webhook-delivery-repository.ts';
import type { WebhookRepository } from './webhook-repository.ts';

/**
 * The repositories of one unit of work. They cannot be used after that unit has ended. All of them guarantee, beside what each one
 * states:
 *
 * - Fidelity: every value is stored unchanged: texts to the last character, numbers exactly. Entities cannot have values outside of the
 *   limits of the store (`domain/limits.ts`), so an adapter refuses no value by itself.
 * - Identifiers: each kind of thing has its own, from 1 to 2⁵³ − 1. None is assigned twice. One that is assigned after another was
 *   acknowledged is larger. There may be gaps, and overlapping units of work may become visible in any order.
 * - Referential integrity: a unit of work fails if it would leave a reference to something that does not exist, or two things with
 *   one identifier. Saving something that does not exist does not create it.
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
  readonly webhooks: WebhookRepository;
  readonly webhookDeliveries: WebhookDeliveryRepository;
}

/** How a unit of work is run. */
export interface WriteOptions {
  /** The time limit of the caller. Without it, the unit of work has no time limit. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Changes the store. Every adapter guarantees:
 *
 * - Atomicity: when `work` resolves, all its changes are committed before `write` resolves. When `work` rejects, or the storage fails at
 *   any point, none of its changes is committed, and `write` rejects. An error of `work` is passed on unchanged.
 * - Isolation: units of work that touch the same things behave as if they ran one after the other. No other unit of work can change
 *   what one has locked or written, until it has ended.
 * - Visibility: the changes of a unit of work are visible outside only after its commit.
 * - Defensive copies: returned entities belong to the caller. A change of an entity has no effect until it is saved.
 * - Absence is `undefined`, never an error.
 * - A scope that is used after its unit of work has ended throws, and changes nothing.
 * - Abort: until the commit begins, `write` rejects with the reason of the signal as soon as that is aborted: while it waits for its
 *   turn or for a connection, and while `work` runs. Nothing is committed, `work` is not started any more, and its locks are released even
 *   if `work` never settles. The last check is right before the commit. From then on the signal has no effect, and `write` settles with
 *   the outcome of the commit.
 *
 * `work` accesses the store only through its scope, and starts no other unit of work. The adapter may roll back and execute it again
 * with another scope, for example after a conflict; so `work` must have the same effect each time.
 *
 * A storage that is unavailable, busy for too long, full or damaged rejects with {@link StorageUnavailable}, and with
 * {@link CommitInDoubt} if it cannot know whether the commit happened.
 */
abstract class UnitOfWorkPort {
  abstract write<Result>(work: (scope: WriteScope) => Promise<Result>, options?: WriteOptions): Promise<Result>;
}

export type UnitOfWork = UnitOfWorkPort;
export const UnitOfWork = sharedByCopies('UnitOfWork', UnitOfWorkPort);

/** The storage is unavailable; nothing was changed, unless this is a {@link CommitInDoubt}. */
class StorageUnavailableClass extends Error {
  override readonly name: string = 'StorageUnavailable';
}

export type StorageUnavailable = StorageUnavailableClass;
export const StorageUnavailable = sharedByCopies('StorageUnavailable', StorageUnavailableClass);

/** The connection to the storage was lost during a commit, and its outcome could not be determined in time. */
class CommitInDoubtClass extends StorageUnavailable {
  override readonly name = 'CommitInDoubt';
}

export type CommitInDoubt = CommitInDoubtClass;
export const CommitInDoubt = sharedByCopies('CommitInDoubt', CommitInDoubtClass);
