import { signingSecrets, type Webhook, type WebhookSnapshot } from '../domain/webhook.ts';
import {
  type AttemptResult,
  abandoned,
  attempted,
  isDelivered,
  PING,
  type WebhookDelivery,
} from '../domain/webhook-delivery.ts';
import type { Clock } from './ports/clock.ts';
import { type EventLog, EventsExpired, type StoredEvent } from './ports/event-log.ts';
import type { Log } from './ports/log.ts';
import type { UnitOfWork, WriteScope } from './ports/unit-of-work.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';

/** A lease ends this long after it was last renewed, in milliseconds: then another process may take the webhook over. */
export const LEASE_MS = 6_000;

/** How many events are read at once. */
const BATCH = 50;

const GONE = 410;

/** Bodies of deliveries, as JSON. */
export interface MessageBodies {
  event(event: StoredEvent): string;
  ping(delivery: WebhookDelivery): string;
}

export interface CourierParts {
  readonly work: UnitOfWork;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly sender: WebhookSender;
  readonly log: Log;
  readonly bodies: MessageBodies;
  /** Identifies this process among those that share the storage. */
  readonly holder: string;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** A webhook that this process has leased, and the delivery that a person requested, if there is one. */
interface Turn {
  readonly webhook: WebhookSnapshot;
  readonly requested?: WebhookDelivery | undefined;
}

/** Delivers what is due for one webhook at a time, while it has the webhook's lease. */
export class WebhookCourier {
  readonly #parts: CourierParts;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /**
   * Delivers until nothing is due, up to `most` messages. It does nothing while another process has the lease. After `signal` was
   * aborted it sends nothing, and the result of a delivery in progress is not recorded.
   */
  async deliver(id: number, signal: AbortSignal, most: number): Promise<void> {
    let turn = await this.#change(id);
    let events: StoredEvent[] = [];
    let types = '';
    for (let left = most; turn && left > 0 && !signal.aborted; left--) {
      const { webhook, requested } = turn;
      if (requested) {
        turn = await this.#attemptRequested(requested, webhook, signal);
        continue;
      }
      if (!hasTurn(webhook, this.#parts.clock.now())) break;
      if (types !== webhook.types.join()) events = [];
      types = webhook.types.join();
      let event = events.shift();
      if (!event) {
        const read = await this.#read(webhook);
        [event, ...events] = read.events;
        if (!event) {
          turn = await this.#change(id, async (changed) => changed.advance(read.position));
          if (read.isAtEnd) break;
          continue;
        }
      }
      turn = await this.#attempt(event, webhook, signal);
    }
    if (turn || signal.aborted) await this.#release(id);
  }

  /** Renews the lease of a webhook, if this process has it. Returns whether another process has it. */
  async renew(id: number): Promise<boolean> {
    const { work, clock, holder } = this.#parts;
    return work.write(async ({ webhooks }) => {
      const webhook = await webhooks.lock(id);
      const lease = webhook?.snapshot().lease;
      if (lease?.holder !== holder) return lease !== undefined;
      webhook?.lease(holder, clock.now(), clock.now() + LEASE_MS);
      if (webhook) await webhooks.save(webhook);
      return false;
    });
  }

  /** Leases the webhook, or renews the lease, and changes it. `undefined` if another process has it, or it no longer exists. */
  #change(id: number, change?: (webhook: Webhook, scope: WriteScope) => Promise<void>): Promise<Turn | undefined> {
    const { work, clock, holder } = this.#parts;
    return work.write(async (scope) => {
      const now = clock.now();
      const webhook = await scope.webhooks.lock(id);
      if (!webhook?.lease(holder, now, now + LEASE_MS)) return undefined;
      await change?.(webhook, scope);
      const requested = await firstRequested(webhook, scope);
      await scope.webhooks.save(webhook);
      return { webhook: webhook.snapshot(), requested };
    });
  }

  #release(id: number): Promise<void> {
    return this.#parts.work.write(async ({ webhooks }) => {
      const webhook = await webhooks.lock(id);
      if (webhook?.snapshot().lease?.holder !== this.#parts.holder) return;
      webhook.release(this.#parts.holder);
      await webhooks.save(webhook);
    });
  }

  /** The next events that the webhook receives. Without one, `position` is how far the log was read. */
  async #read({ id, types, position: after }: WebhookSnapshot) {
    try {
      const { events, position, last } = await this.#parts.eventLog.read({ after, types, limit: BATCH });
      return { events, position, isAtEnd: position >= last };
    } catch (error) {
      if (!(error instanceof EventsExpired)) throw error;
      const position = error.oldest - 1;
      this.#parts.log.warn('events expired before they were delivered', { webhook: id, after, oldest: error.oldest });
      return { events: [], position, isAtEnd: false };
    }
  }

  async #attempt(event: StoredEvent, webhook: WebhookSnapshot, signal: AbortSignal): Promise<Turn | undefined> {
    const { clock, random, bodies } = this.#parts;
    const createdAt = clock.now();
    const messageId = String(event.position);
    const result = await this.#send(webhook, messageId, bodies.event(event), signal);
    if (!result) return undefined;
    const at = clock.now();
    return this.#change(webhook.id, async (changed, { webhookDeliveries }) => {
      const found = await retriedDelivery(changed, messageId, webhookDeliveries);
      const delivery: WebhookDelivery = found ?? {
        ...{ id: await webhookDeliveries.nextId(), webhookId: webhook.id, messageId, type: event.type },
        ...{ status: 'pending', attempts: 0, createdAt },
      };
      const nextAttemptAt = settle(changed, { event, delivery, result, at, random: random() });
      const after = attempted(delivery, result, at, nextAttemptAt);
      await (found ? webhookDeliveries.save(after) : webhookDeliveries.add(after));
    });
  }

  async #attemptRequested(
    delivery: WebhookDelivery,
    webhook: WebhookSnapshot,
    signal: AbortSignal,
  ): Promise<Turn | undefined> {
    const body = await this.#bodyOf(delivery);
    const result = body === undefined ? undefined : await this.#send(webhook, delivery.messageId, body, signal);
    if (body !== undefined && !result) return undefined;
    const at = this.#parts.clock.now();
    const after = result ? attempted(delivery, result, at) : abandoned(delivery, 'The event is no longer kept.');
    return this.#change(webhook.id, async (changed, { webhookDeliveries }) => {
      changed.settleRequest(delivery.id);
      if (await webhookDeliveries.find(webhook.id, delivery.id)) await webhookDeliveries.save(after);
    });
  }

  /** `undefined` if the event is no longer kept. */
  async #bodyOf(delivery: WebhookDelivery): Promise<string | undefined> {
    const { eventLog, bodies } = this.#parts;
    if (delivery.type === PING) return bodies.ping(delivery);
    const position = Number(delivery.messageId);
    try {
      const { events } = await eventLog.read({ after: position - 1, limit: 1 });
      return events[0]?.position === position ? bodies.event(events[0]) : undefined;
    } catch (error) {
      if (error instanceof EventsExpired) return undefined;
      throw error;
    }
  }

  /** `undefined` if the delivery was interrupted. */
  async #send(webhook: WebhookSnapshot, id: string, body: string, signal: AbortSignal) {
    const { clock, sender } = this.#parts;
    const at = clock.now();
    const message = { url: webhook.url, id, at, body, secrets: signingSecrets(webhook, at) };
    const result: AttemptResult = await sender.send(message, signal);
    return signal.aborted ? undefined : result;
  }
}

/** Whether the next event may be delivered now. */
export function hasTurn({ active, retry }: WebhookSnapshot, now: number): boolean {
  return active && (!retry || retry.at <= now);
}

/** Requests whose deliveries retention has removed are dropped. */
async function firstRequested(webhook: Webhook, { webhookDeliveries }: WriteScope) {
  for (const deliveryId of webhook.snapshot().requested) {
    const delivery = await webhookDeliveries.find(webhook.id, deliveryId);
    if (delivery) return delivery;
    webhook.settleRequest(deliveryId);
  }
  return undefined;
}

/** The delivery that is attempted again, unless the webhook now receives other events. */
async function retriedDelivery(
  webhook: Webhook,
  messageId: string,
  webhookDeliveries: WriteScope['webhookDeliveries'],
): Promise<WebhookDelivery | undefined> {
  const { retry, position } = webhook.snapshot();
  const found = retry && (await webhookDeliveries.find(webhook.id, retry.deliveryId));
  if (!found || found.messageId === messageId) return found;
  webhook.advance(position);
  await webhookDeliveries.save(abandoned(found, 'The webhook no longer receives events of this type.'));
  return undefined;
}

interface Attempt {
  readonly event: StoredEvent;
  readonly delivery: WebhookDelivery;
  readonly result: AttemptResult;
  readonly at: number;
  readonly random: number;
}

/** What an attempt means for the webhook. Returns when the next one is due, if one follows. */
function settle(webhook: Webhook, { event, delivery, result, at, random }: Attempt): number | undefined {
  if (isDelivered(result)) {
    webhook.advance(event.position);
    return undefined;
  }
  if ('status' in result && result.status === GONE) {
    webhook.disable('The receiver returned 410 Gone.');
    return undefined;
  }
  const next = webhook.postpone(delivery.id, delivery.attempts + 1, at, random);
  if (next === undefined) {
    const last = 'status' in result ? `The receiver returned the status ${result.status}.` : result.error;
    webhook.disable(`A delivery failed for 24 hours. Last attempt: ${last}`);
  }
  return next;
}
