import type { WebhookDeliveryRepository } from '../../application/ports/webhook-delivery-repository.ts';
import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryWebhookDeliveryRepository implements WebhookDeliveryRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.webhookDeliveries.nextId();
  }

  async find(webhookId: number, id: number): Promise<WebhookDelivery | undefined> {
    const row = this.#staged.tables.webhookDeliveries.get(id);
    return row?.webhookId === webhookId ? { ...row } : undefined;
  }

  async add(delivery: WebhookDelivery): Promise<void> {
    const { webhooks, webhookDeliveries } = this.#staged.tables;
    if (!webhooks.get(delivery.webhookId)) throw new Error(`There is no webhook ${delivery.webhookId}.`);
    webhookDeliveries.insert({ ...delivery });
  }

  async save(delivery: WebhookDelivery): Promise<void> {
    this.#staged.tables.webhookDeliveries.update({ ...delivery });
  }

  async deleteCreatedBefore(instant: number, most: number): Promise<number> {
    const { webhookDeliveries } = this.#staged.tables;
    const expired: number[] = [];
    for (const { id, createdAt } of webhookDeliveries.sorted('createdAt')) {
      if (createdAt >= instant || expired.length >= most) break;
      expired.push(id);
    }
    for (const id of expired) webhookDeliveries.delete(id);
    return expired.length;
  }
}
