import type { IdempotencyRecord } from '../../application/ports/idempotency-store.ts';
import type { MovementView } from '../../application/ports/reader.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { CategorySnapshot } from '../../domain/category.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { OrderSnapshot } from '../../domain/order.ts';
import type { PetSnapshot } from '../../domain/pet.ts';
import type { Stock } from '../../domain/pet-status.ts';
import { nameKey } from '../../domain/text.ts';
import { Table } from './table.ts';
import { Turnstile } from './turnstile.ts';

/** A pet and its inventory entry are one row, so there is never one without the other. */
export type PetRow = PetSnapshot & Stock;

export interface IdempotencyRow extends IdempotencyRecord {
  readonly id: number;
  readonly requestId: string;
}

/** An event with its place in the order of all events: 1, 2, 3 … */
export type StoredEvent = DomainEvent & { readonly position: number };

export type Tables = ReturnType<typeof emptyTables>;

/** All that an in-memory adapter remembers, and the turnstile before it. Its unit of work, reader and storage share one. */
export class InMemoryStore {
  readonly turnstile = new Turnstile();
  #tables: Tables | undefined = emptyTables();

  /** What is kept, and nothing of what a unit of work under way has done. @throws {StorageUnavailable} after it was closed */
  get tables(): Tables {
    if (!this.#tables) throw new StorageUnavailable('The store is closed.');
    return this.#tables;
  }

  /** What others shall be told, by rising position. @throws {StorageUnavailable} after it was closed */
  get events(): readonly StoredEvent[] {
    return Array.from(this.tables.events.all(), ({ id, event }) => ({ ...structuredClone(event), position: id }));
  }

  /** A store that was closed begins anew, with nothing in it. */
  open(): void {
    this.#tables ??= emptyTables();
  }

  /** Stops the unit of work under way, and forgets everything. */
  close(): void {
    this.#tables = undefined;
    this.turnstile.stop(new StorageUnavailable('The store was closed.'));
  }
}

function emptyTables() {
  const byId = ({ id }: { readonly id: number }) => id;
  return {
    categories: new Table({ id: byId, name: ({ name }: CategorySnapshot) => nameKey(name) }),
    pets: new Table({
      id: byId,
      name: ({ name }: PetRow) => nameKey(name),
      categoryId: ({ categoryId }: PetRow) => categoryId,
      quantity: ({ quantity }: PetRow) => quantity,
    }),
    orders: new Table({
      id: byId,
      petId: ({ petId }: OrderSnapshot) => petId,
      shipDate: ({ shipDate }: OrderSnapshot) => shipDate ?? null,
    }),
    movements: new Table({ petId: ({ petId }: MovementView) => petId }),
    events: new Table<{ readonly id: number; readonly event: DomainEvent }>({}),
    idempotency: new Table({
      requestId: ({ requestId }: IdempotencyRow) => requestId,
      savedAt: ({ savedAt }: IdempotencyRow) => savedAt,
    }),
    apiKeys: new Table({ id: ({ id }: ApiKeySnapshot) => id }),
  };
}
