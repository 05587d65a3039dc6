import type { WebhookRepository } from '../../application/ports/webhook-repository.ts';
import { Webhook } from '../../domain/webhook.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryWebhookRepository implements WebhookRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.webhooks.nextId();
  }

  async lock(id: number): Promise<Webhook | undefined> {
    const row = this.#staged.tables.webhooks.get(id);
    return row && Webhook.recall(row);
  }

  async add(webhook: Webhook): Promise<void> {
    this.#staged.tables.webhooks.insert(webhook.snapshot());
  }

  async save(webhook: Webhook): Promise<void> {
    this.#staged.tables.webhooks.update(webhook.snapshot());
  }

  async delete(id: number): Promise<void> {
    const { webhooks, webhookDeliveries } = this.#staged.tables;
    for (const delivery of [...webhookDeliveries.having('webhookId', id)]) webhookDeliveries.delete(delivery.id);
    webhooks.delete(id);
  }
}
