import type { StoredEvent } from '../../application/ports/event-log.ts';
import type { IdempotencyRecord } from '../../application/ports/idempotency-store.ts';
import type { MovementView, SummaryView } from '../../application/ports/reader.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import { Signal } from '../../application/signal.ts';
import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { CategorySnapshot } from '../../domain/category.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { OrderSnapshot } from '../../domain/order.ts';
import type { PetSnapshot } from '../../domain/pet.ts';
import { PET_STATUSES, type Stock, statusOf } from '../../domain/pet-status.ts';
import { nameKey } from '../../domain/text.ts';
import type { WebhookSnapshot } from '../../domain/webhook.ts';
import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';
import { Mutex } from './mutex.ts';
import { Table } from './table.ts';

/** A pet and its inventory entry are one row, so neither exists without the other. */
export type PetRow = PetSnapshot & Stock;

export interface IdempotencyRow extends IdempotencyRecord {
  readonly id: number;
  readonly requestId: string;
}

export type Tables = ReturnType<typeof emptyTables>;

/** The tables of an in-memory store, and the mutex of its units of work. Unit of work, reader and storage share one. */
export class InMemoryStore {
  readonly mutex = new Mutex();
  /** Is emitted after events were committed. */
  readonly eventsAppended = new Signal();
  #tables: Tables | undefined = emptyTables();

  /** The committed rows, without the changes of a unit of work in progress. @throws {StorageUnavailable} after {@link close} */
  get tables(): Tables {
    if (!this.#tables) throw new StorageUnavailable('The store is closed.');
    return this.#tables;
  }

  /** The committed events in ascending order of position. @throws {StorageUnavailable} after {@link close} */
  get events(): readonly StoredEvent[] {
    return Array.from(this.tables.events.all(), ({ id, event }) => ({ ...structuredClone(event), position: id }));
  }

  /** A store that was closed is empty when it is opened again. */
  open(): void {
    this.#tables ??= emptyTables();
  }

  /** Aborts the unit of work in progress and discards everything. */
  close(): void {
    this.#tables = undefined;
    this.mutex.close(new StorageUnavailable('The store was closed.'));
  }
}

/** The pets, with the figures of the inventory summary, which are maintained with each row. */
class PetTable extends Table<PetRow, 'id' | 'name' | 'categoryId' | 'quantity'> {
  readonly #figures = new Map(PET_STATUSES.map((status) => [status, { pets: 0, units: 0 }]));

  get summary(): SummaryView {
    const copies = Array.from(this.#figures, ([status, figures]) => [status, { ...figures }]);
    return Object.fromEntries(copies) as SummaryView;
  }

  override put(id: number, row: PetRow | undefined): void {
    this.#add(this.get(id), -1);
    super.put(id, row);
    this.#add(row, 1);
  }

  #add(row: PetRow | undefined, sign: 1 | -1): void {
    const figures = row && this.#figures.get(statusOf(row));
    if (!figures) return;
    figures.pets += sign;
    figures.units += sign * row.quantity;
  }
}

function emptyTables() {
  const byId = ({ id }: { readonly id: number }) => id;
  return {
    categories: new Table({ id: byId, name: ({ name }: CategorySnapshot) => nameKey(name) }),
    pets: new PetTable({
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
    webhooks: new Table({ id: ({ id }: WebhookSnapshot) => id }),
    webhookDeliveries: new Table({
      webhookId: ({ webhookId }: WebhookDelivery) => webhookId,
      createdAt: ({ createdAt }: WebhookDelivery) => createdAt,
    }),
  };
}
