import type { DomainEvent } from './events.ts';

/** The type of the message that a ping delivers. */
export const PING = 'webhook.ping';

/** One message to the receiver of a webhook, and what became of it. Instants are in milliseconds since 1970-01-01T00:00:00Z. */
export interface WebhookDelivery {
  readonly id: number;
  readonly webhookId: number;
  /** The id of the message, by which the receiver recognises a duplicate: the position of the event as a text, or `ping-…`. */
  readonly messageId: string;
  readonly type: DomainEvent['type'] | typeof PING;
  /** `pending`: another attempt follows. */
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly createdAt: number;
  readonly lastAttemptAt?: number;
  readonly nextAttemptAt?: number;
  /** The status of the last response. */
  readonly responseStatus?: number;
  /** Why the last attempt had no response, or why there was none. */
  readonly error?: string;
}

/** What an attempt resulted in. */
export type AttemptResult = { readonly status: number } | { readonly error: string };

export function isDelivered(result: AttemptResult): boolean {
  return 'status' in result && result.status >= 200 && result.status <= 299;
}

/** The delivery after one more attempt, which ended at `at`. If it failed, another one follows at `nextAttemptAt`, or none. */
export function attempted(
  { id, webhookId, messageId, type, attempts, createdAt }: WebhookDelivery,
  result: AttemptResult,
  at: number,
  nextAttemptAt?: number,
): WebhookDelivery {
  return {
    ...{ id, webhookId, messageId, type, createdAt },
    status: isDelivered(result) ? 'delivered' : nextAttemptAt === undefined ? 'failed' : 'pending',
    attempts: attempts + 1,
    lastAttemptAt: at,
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...('status' in result ? { responseStatus: result.status } : { error: result.error }),
  };
}

/** The delivery without a further attempt. */
export function abandoned(delivery: WebhookDelivery, error: string): WebhookDelivery {
  const { nextAttemptAt: _, ...rest } = delivery;
  return { ...rest, status: 'failed', error };
}
