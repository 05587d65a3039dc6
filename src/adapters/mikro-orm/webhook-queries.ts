import type { Page, PageBounds, WebhookDelivery, WebhookSnapshot } from '../../application/ports/reader.ts';
import { type AccessPath, countRows } from './access-path.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { TableText } from './table-text.ts';
import { showDelivery } from './webhook-delivery-repository.ts';
import { showWebhook } from './webhook-repository.ts';

const WEBHOOK = statement((db, { id }: { id: number }) =>
  db.selectFrom('webhooks').select(['id', 'data']).where('id', '=', id),
);

const WEBHOOKS = new TableText('webhooks');
const ALL: AccessPath = { index: undefined, conditions: [] };
const LISTING = {
  table: WEBHOOKS.name,
  columns: WEBHOOKS.columns({ id: 'id', data: 'data' }),
  sortedBy: WEBHOOKS.column('id'),
  descending: false,
};

const DELIVERIES = new TableText('webhook_deliveries');
const DELIVERY_LISTING = {
  table: DELIVERIES.name,
  columns: DELIVERIES.columns({ id: 'id', webhookId: 'webhookId', createdAt: 'createdAt', data: 'data' }),
  sortedBy: DELIVERIES.column('id'),
  descending: true,
};

const positionOf = ({ id }: { readonly id: number }) => ({ key: id, id });

export async function webhookById(session: ReadSession, id: number): Promise<WebhookSnapshot | undefined> {
  if (!Number.isSafeInteger(id)) return undefined;
  const row = await session.one(WEBHOOK, { id });
  return row && showWebhook(row);
}

export async function webhookList(session: ReadSession, page: PageBounds): Promise<Page<WebhookSnapshot>> {
  return pageOf(await readRows(session, LISTING, ALL, page), page, positionOf, showWebhook);
}

export function countWebhooks(session: ReadSession, most?: number): Promise<number> {
  return countRows(session, WEBHOOKS.name, ALL, most);
}

/** `undefined` if there is no such webhook. */
export async function deliveryList(
  session: ReadSession,
  webhookId: number,
  page: PageBounds,
): Promise<Page<WebhookDelivery> | undefined> {
  const read = () => readRows(session, DELIVERY_LISTING, pathOf(webhookId), page);
  let rows = await read();
  if (rows.length === 0) {
    if (!(await webhookById(session, webhookId))) return undefined;
    // The webhook may have been created between the two reads, so its deliveries are read again.
    if (!page.after) rows = await read();
  }
  return pageOf(rows, page, positionOf, showDelivery);
}

/** `undefined` if there is no such webhook. */
export async function countDeliveries(
  session: ReadSession,
  webhookId: number,
  most?: number,
): Promise<number | undefined> {
  const count = () => countRows(session, DELIVERIES.name, pathOf(webhookId), most);
  // As above: a webhook without deliveries may have been created in between.
  return (await count()) || ((await webhookById(session, webhookId)) && (await count()));
}

function pathOf(webhookId: number): AccessPath {
  return {
    index: 'webhook_deliveries_webhook_id_index',
    conditions: [DELIVERIES.equals('webhookId', webhookId)],
  };
}
