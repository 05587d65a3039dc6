import type { EventType } from '../domain/events.ts';
import { DeliveryNotFound, WebhookNotFound } from '../domain/refusals.ts';
import { Webhook } from '../domain/webhook.ts';
import { PING, type WebhookDelivery } from '../domain/webhook-delivery.ts';
import { assertHolds, type ChangeOptions, type Precondition } from './change-options.ts';
import type { IdempotentUnitOfWork } from './idempotency.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Page, PageBounds, Reader, WebhookSnapshot } from './ports/reader.ts';
import type { Secrets } from './ports/secrets.ts';
import type { WriteScope } from './ports/unit-of-work.ts';

export interface WebhookInput {
  /** An `http:` or `https:` URL without credentials. */
  readonly url: string;
  /** One or more types of events, each once. */
  readonly types: readonly EventType[];
  readonly active: boolean;
}

export type WebhookPatch = Partial<WebhookInput>;

/** A new secret, and the instant until which the previous one signs too, in milliseconds since 1970-01-01T00:00:00Z. */
export interface RotatedSecret {
  readonly secret: string;
  readonly previousSecretExpiresAt: number;
}

/** What the desk needs beside what every desk has. */
export interface WebhookDeskParts {
  readonly secrets: Secrets;
  readonly eventLog: EventLog;
}

/** The use cases of webhooks: what their owners do. `WebhookDispatcher` delivers. */
export class WebhookDesk {
  readonly #work: IdempotentUnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #secrets: Secrets;
  readonly #eventLog: EventLog;

  constructor(work: IdempotentUnitOfWork, reader: Reader, clock: Clock, { secrets, eventLog }: WebhookDeskParts) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#eventLog = eventLog;
  }

  /** It receives the events that are committed from now on, and perhaps some that were committed a moment ago. */
  async create(input: WebhookInput, options: ChangeOptions<WebhookSnapshot> = {}): Promise<WebhookSnapshot> {
    const { last: position } = await this.#eventLog.range();
    return this.#work.write(async ({ webhooks }) => {
      const facts = { ...input, createdAt: this.#clock.now(), secret: this.#newSecret(), position };
      const webhook = Webhook.create({ id: await webhooks.nextId(), ...facts });
      await webhooks.add(webhook);
      return webhook.snapshot();
    }, options);
  }

  /** @throws {WebhookNotFound | PreconditionFailed} */
  change(id: number, change: WebhookPatch, options: ChangeOptions<WebhookSnapshot> = {}): Promise<WebhookSnapshot> {
    const act = async (webhook: Webhook) => {
      webhook.change(change, this.#clock.now());
      return webhook.snapshot();
    };
    return this.#change(id, options, act, options.precondition);
  }

  /** Deletes it with its deliveries; a delivery in progress is the last one. @throws {WebhookNotFound | PreconditionFailed} */
  delete(id: number, options: ChangeOptions<WebhookSnapshot> = {}): Promise<WebhookSnapshot> {
    return this.#work.write(async (scope) => {
      const webhook = await find(scope, id, options.precondition);
      await scope.webhooks.delete(id);
      return webhook.snapshot();
    }, options);
  }

  /** @throws {WebhookNotFound} */
  rotateSecret(id: number, options: ChangeOptions<RotatedSecret> = {}): Promise<RotatedSecret> {
    return this.#change(id, options, async (webhook) => {
      const secret = this.#newSecret();
      return { secret, previousSecretExpiresAt: webhook.rotateSecret(secret, this.#clock.now()) };
    });
  }

  /** Requests a delivery of a message that has no content; it is attempted once, soon. @throws {WebhookNotFound} */
  ping(id: number, options: ChangeOptions<WebhookDelivery> = {}): Promise<WebhookDelivery> {
    return this.#change(id, options, (webhook, scope) =>
      this.#request(webhook, scope, (deliveryId) => ({ messageId: `ping-${deliveryId}`, type: PING })),
    );
  }

  /**
   * Requests another delivery of the same message, as a delivery of its own; it is attempted once, soon.
   * @throws {WebhookNotFound | DeliveryNotFound}
   */
  redeliver(id: number, deliveryId: number, options: ChangeOptions<WebhookDelivery> = {}): Promise<WebhookDelivery> {
    return this.#change(id, options, async (webhook, scope) => {
      const delivery = await scope.webhookDeliveries.find(id, deliveryId);
      if (!delivery) throw new DeliveryNotFound(id, deliveryId);
      const { messageId, type } = delivery;
      return this.#request(webhook, scope, () => ({ messageId, type }));
    });
  }

  /** @throws {WebhookNotFound} */
  async get(id: number): Promise<WebhookSnapshot> {
    const webhook = await this.#reader.webhook(id);
    if (!webhook) throw new WebhookNotFound(id);
    return webhook;
  }

  list(page: PageBounds): Promise<Page<WebhookSnapshot>> {
    return this.#reader.webhooks(page);
  }

  /** Counts up to `most`. */
  count(most?: number): Promise<number> {
    return this.#reader.countWebhooks(most);
  }

  /** Newest first. @throws {WebhookNotFound} */
  async deliveries(id: number, page: PageBounds): Promise<Page<WebhookDelivery>> {
    const found = await this.#reader.webhookDeliveries(id, page);
    if (!found) throw new WebhookNotFound(id);
    return found;
  }

  /** Counts up to `most`. @throws {WebhookNotFound} */
  async countDeliveries(id: number, most?: number): Promise<number> {
    const found = await this.#reader.countWebhookDeliveries(id, most);
    if (found === undefined) throw new WebhookNotFound(id);
    return found;
  }

  /** Changes a webhook and saves it. */
  #change<View, Result extends View>(
    id: number,
    options: ChangeOptions<View>,
    change: (webhook: Webhook, scope: WriteScope) => Promise<Result>,
    precondition?: Precondition<WebhookSnapshot>,
  ): Promise<View> {
    return this.#work.write(async (scope) => {
      const webhook = await find(scope, id, precondition);
      const result = await change(webhook, scope);
      await scope.webhooks.save(webhook);
      return result;
    }, options);
  }

  async #request(
    webhook: Webhook,
    { webhookDeliveries }: WriteScope,
    message: (deliveryId: number) => Pick<WebhookDelivery, 'messageId' | 'type'>,
  ): Promise<WebhookDelivery> {
    const id = await webhookDeliveries.nextId();
    const now = this.#clock.now();
    const facts = { webhookId: webhook.id, ...message(id), createdAt: now, nextAttemptAt: now };
    const delivery: WebhookDelivery = { id, ...facts, status: 'pending', attempts: 0 };
    await webhookDeliveries.add(delivery);
    webhook.request(id);
    return delivery;
  }

  /** 256 random bits, as Standard Webhooks writes a secret: in base64, after a prefix. */
  #newSecret(): string {
    const bits = this.#secrets.make().replaceAll('-', '+').replaceAll('_', '/');
    return `whsec_${bits.padEnd(Math.ceil(bits.length / 4) * 4, '=')}`;
  }
}

async function find({ webhooks }: WriteScope, id: number, precondition?: Precondition<WebhookSnapshot>) {
  const webhook = await webhooks.lock(id);
  if (!webhook) throw new WebhookNotFound(id);
  assertHolds(precondition, webhook.snapshot());
  return webhook;
}
