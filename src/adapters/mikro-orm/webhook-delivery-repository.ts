import { sql } from 'kysely';
import type { WebhookDeliveryRepository } from '../../application/ports/webhook-delivery-repository.ts';
import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const FIND = statement((db, { webhookId, id }: { webhookId: number; id: number }) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['id', 'webhookId', 'createdAt', 'data'])
    .where('id', '=', id)
    .where('webhookId', '=', webhookId),
);
const ADD = statement((db, { id, webhookId, createdAt, data }: RowOf<'webhook_deliveries'>) =>
  db.insertInto('webhook_deliveries').values({ id, webhookId, createdAt, data }),
);
const SAVE = statement((db, { id, data }: Pick<RowOf<'webhook_deliveries'>, 'id' | 'data'>) =>
  db.updateTable('webhook_deliveries').set({ data }).where('id', '=', id),
);
/** An expression as the limit: see `idempotency-store.ts`. */
const DELETE_CREATED_BEFORE = statement((db, { instant, most }: { instant: number; most: number }, { locksRows }) =>
  db.deleteFrom('webhook_deliveries').where('id', 'in', (deliveries) =>
    deliveries
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('createdAt', '<', instant)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(sql<number>`${most} + 0`)
      .$if(locksRows, (query) => query.forUpdate().skipLocked()),
  ),
);

export class MikroOrmWebhookDeliveryRepository implements WebhookDeliveryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('webhook_deliveries');
  }

  async find(webhookId: number, id: number): Promise<WebhookDelivery | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const row = await this.#session.one(FIND, { webhookId, id });
    return row && showDelivery(row);
  }

  async add(delivery: WebhookDelivery): Promise<void> {
    await this.#session.add('webhook_deliveries', ADD, rowOf(delivery));
  }

  async save(delivery: WebhookDelivery): Promise<void> {
    await this.#session.send(SAVE, rowOf(delivery));
  }

  async deleteCreatedBefore(instant: number, most: number): Promise<number> {
    return this.#session.run(DELETE_CREATED_BEFORE, { instant, most });
  }
}

function rowOf({ id, webhookId, createdAt, ...data }: WebhookDelivery): RowOf<'webhook_deliveries'> {
  return { id, webhookId, createdAt, data: JSON.stringify(data) };
}

export function showDelivery({ id, webhookId, createdAt, data }: RowOf<'webhook_deliveries'>): WebhookDelivery {
  return { id, webhookId, createdAt, ...(JSON.parse(data) as Omit<WebhookDelivery, 'id' | 'webhookId' | 'createdAt'>) };
}
