import type { Webhook } from '../../domain/webhook.ts';

/** Stores webhooks, inside a unit of work. */
export interface WebhookRepository {
  /** The identifier for the next webhook: larger than all that were acknowledged, also of what was deleted since. */
  nextId(): Promise<number>;
  /** The webhook, locked against other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<Webhook | undefined>;
  add(webhook: Webhook): Promise<void>;
  save(webhook: Webhook): Promise<void>;
  /** Deletes it and its deliveries. */
  delete(id: number): Promise<void>;
}
