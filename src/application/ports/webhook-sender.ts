import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** One attempt to deliver a message to the receiver of a webhook. */
export interface WebhookMessage {
  /** An `http:` or `https:` URL without credentials. */
  readonly url: string;
  /** The same for every attempt to deliver the same message, so that the receiver recognises a duplicate. */
  readonly id: string;
  /** When the message is sent, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
  /** JSON. */
  readonly body: string;
  /** The message is signed with each of these (`whsec_…`). */
  readonly secrets: readonly string[];
}

/** The status of the response, or why there is none: one sentence for the owner of the webhook. */
export type WebhookResponse = { readonly status: number } | { readonly error: string };

/**
 * Sends messages to receivers outside, signed as Standard Webhooks specifies. Every adapter keeps these promises:
 *
 * - It never rejects. It resolves when the status of the response is known, and within 15 s.
 * - It follows no redirect, and reads no more than a bounded part of the response.
 * - It connects to no address of the service's own machine or network, unless it is configured to: it checks the address to which it
 *   connects, not a name.
 * - When `signal` is aborted, it gives up at once.
 */
abstract class WebhookSenderPort {
  abstract send(message: WebhookMessage, signal: AbortSignal): Promise<WebhookResponse>;
  /** Releases all connections. */
  abstract close(): Promise<void>;
}

export type WebhookSender = WebhookSenderPort;
export const WebhookSender = sharedByCopies('WebhookSender', WebhookSenderPort);
