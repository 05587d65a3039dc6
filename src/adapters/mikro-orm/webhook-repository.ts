import type { WebhookRepository } from '../../application/ports/webhook-repository.ts';
import { Webhook, type WebhookSnapshot } from '../../domain/webhook.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const LOCK = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'data'])
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forUpdate()),
);
const ADD = statement((db, { id, data }: RowOf<'webhooks'>) => db.insertInto('webhooks').values({ id, data }));
const SAVE = statement((db, { id, data }: RowOf<'webhooks'>) =>
  db.updateTable('webhooks').set({ data }).where('id', '=', id),
);
/** The foreign key of its deliveries deletes them. */
const DELETE = statement((db, { id }: { id: number }) => db.deleteFrom('webhooks').where('id', '=', id));

export class MikroOrmWebhookRepository implements WebhookRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('webhooks');
  }

  async lock(id: number): Promise<Webhook | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const row = await this.#session.one(LOCK, { id });
    return row && Webhook.recall(showWebhook(row));
  }

  async add(webhook: Webhook): Promise<void> {
    await this.#session.add('webhooks', ADD, rowOf(webhook));
  }

  async save(webhook: Webhook): Promise<void> {
    await this.#session.send(SAVE, rowOf(webhook));
  }

  async delete(id: number): Promise<void> {
    await this.#session.send(DELETE, { id });
  }
}

/** A webhook is read and written as a whole, and nothing is searched by its content: it is one JSON text. */
function rowOf(webhook: Webhook): RowOf<'webhooks'> {
  const { id, ...data } = webhook.snapshot();
  return { id, data: JSON.stringify(data) };
}

export function showWebhook({ id, data }: RowOf<'webhooks'>): WebhookSnapshot {
  return { id, ...(JSON.parse(data) as Omit<WebhookSnapshot, 'id'>) };
}
