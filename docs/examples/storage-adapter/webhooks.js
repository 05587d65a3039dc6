import { Webhook } from 'petstore-service/domain/webhook';

/*
 * Webhooks and their deliveries are read and written as a whole: what no statement needs is one JSON text.
 */

const toRow = ({ id, ...data }) => ({ id, data: JSON.stringify(data) });
export const toWebhook = ({ id, data }) => ({ id, ...JSON.parse(data) });
export const toDelivery = toWebhook;

export function webhookRepository(query, nextId) {
  return {
    nextId: () => nextId('webhooks'),
    async lock(id) {
      const [row] = query('SELECT id, data FROM webhooks WHERE id = ?', id);
      return row && Webhook.recall(toWebhook(row));
    },
    async add(webhook) {
      const { id, data } = toRow(webhook.snapshot());
      query('INSERT INTO webhooks (id, data) VALUES (?, ?)', id, data);
    },
    async save(webhook) {
      const { id, data } = toRow(webhook.snapshot());
      query('UPDATE webhooks SET data = ? WHERE id = ?', data, id);
    },
    async delete(id) {
      query('DELETE FROM webhooks WHERE id = ?', id);
    },
  };
}

export function webhookDeliveryRepository(query, nextId) {
  return {
    nextId: () => nextId('webhookDeliveries'),
    async find(webhookId, id) {
      const [row] = query('SELECT id, data FROM webhookDeliveries WHERE id = ? AND webhookId = ?', id, webhookId);
      return row && toDelivery(row);
    },
    async add(delivery) {
      const { id, data } = toRow(delivery);
      query(
        'INSERT INTO webhookDeliveries (id, webhookId, createdAt, data) VALUES (?, ?, ?, ?)',
        ...[id, delivery.webhookId, delivery.createdAt, data],
      );
    },
    async save(delivery) {
      const { id, data } = toRow(delivery);
      query('UPDATE webhookDeliveries SET data = ? WHERE id = ?', data, id);
    },
    async deleteCreatedBefore(instant, most) {
      return query(
        `DELETE FROM webhookDeliveries WHERE id IN
           (SELECT id FROM webhookDeliveries WHERE createdAt < ? ORDER BY createdAt, id LIMIT ?)
         RETURNING id`,
        ...[instant, most],
      ).length;
    },
  };
}
