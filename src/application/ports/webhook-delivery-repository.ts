import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';

/** Stores the deliveries of webhooks, inside a unit of work. The webhook of a delivery exists, and is locked by this unit of work. */
export interface WebhookDeliveryRepository {
  /** The identifier for the next delivery: larger than all that were acknowledged, also of what was deleted since. */
  nextId(): Promise<number>;
  /** `undefined` if the webhook has no such delivery. */
  find(webhookId: number, id: number): Promise<WebhookDelivery | undefined>;
  add(delivery: WebhookDelivery): Promise<void>;
  save(delivery: WebhookDelivery): Promise<void>;
  /**
   * Deletes deliveries of any webhook that were created before an instant, at most so many of them, the oldest first. Returns how
   * many. The lock of a webhook is not needed.
   */
  deleteCreatedBefore(instant: number, most: number): Promise<number>;
}
