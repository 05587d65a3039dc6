import type { WebhookSnapshot } from '../domain/webhook.ts';
import { inBackground } from './event-loop.ts';
import { EventTail } from './event-tail.ts';
import type { PageBounds, Reader } from './ports/reader.ts';
import { type CourierParts, hasTurn, LEASE_MS, WebhookCourier } from './webhook-courier.ts';

export interface DispatcherParts extends CourierParts {
  readonly reader: Reader;
  /** How long finished deliveries are kept, in milliseconds. */
  readonly retention: number;
}

/** How often it looks for retries that are due and for webhooks of processes that ended, in milliseconds. */
const POLL_MS = 1_000;
/** How long it waits at least before it looks again after it was woken, in milliseconds. */
const PAUSE_MS = 25;
const RENEW_MS = LEASE_MS / 3;

/** Webhooks that are served at the same time. */
const MAX_COURIERS = 256;
/** Those of them whose receivers failed before, so that such receivers cannot delay all others. */
const MAX_FAILING = 128;
/** Messages to one webhook before others get their turn. */
const MAX_MESSAGES = 500;
/** A webhook that receives no events is moved forward when it is this many positions behind, so that they can expire. */
const MAX_DISTANCE = 1_000;

const PAGE = 1_000;
const PURGE_BATCH = 500;
/** How long the deliveries in progress have at the end, in milliseconds. */
const GRACE_MS = 2_000;

interface Running {
  readonly ended: Promise<void>;
  readonly stop: AbortController;
  readonly isFailing: boolean;
  /** Until when the lease is certain. */
  leasedUntil: number;
}

/**
 * Delivers events to the receivers of webhooks, in the background. Any number of processes share the work: one that has the lease of a
 * webhook delivers for it, one message at a time; when it ends, another one takes the webhook over once the lease has expired. Events
 * are delivered at least once.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  readonly #courier: WebhookCourier;
  readonly #tail: EventTail;
  readonly #running = new Map<number, Running>();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #unsubscribe = () => {};
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = true;
  #endPause = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#courier = new WebhookCourier(parts);
    this.#tail = new EventTail(parts.eventLog);
  }

  start(): void {
    this.#isStopped = false;
    this.#unsubscribe = this.#parts.eventLog.subscribe(() => this.wake());
    for (const [act, interval] of [
      [() => this.wake(), POLL_MS],
      [() => void this.#renew(), RENEW_MS],
    ] as const) {
      this.#timers.push(inBackground(setInterval(act, interval)));
    }
    this.wake();
  }

  /** Ends deliveries in progress, which have a short time to finish, and lets others take the webhooks over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#endPause();
    await this.#looking;
    const grace = setTimeout(() => this.#interrupt(), GRACE_MS);
    await Promise.all(Array.from(this.#running.values(), ({ ended }) => ended));
    clearTimeout(grace);
    await this.#parts.sender.close();
  }

  /** Looks for something to deliver, now or after the search in progress. */
  wake(): void {
    this.#isWoken = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Deletes deliveries that are older than the retention. Returns how many those were. */
  async purge(): Promise<number> {
    const { work, clock, retention } = this.#parts;
    for (let purged = 0; ; ) {
      const before = clock.now() - retention;
      const deleted = await work.write((scope) => scope.webhookDeliveries.deleteCreatedBefore(before, PURGE_BATCH));
      purged += deleted;
      if (deleted < PURGE_BATCH) return purged;
    }
  }

  async #look(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      try {
        await this.#startDue();
      } catch (error) {
        this.#parts.log.warn('webhooks could not be read', { error });
        return;
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) return resolve();
      const timer = inBackground(setTimeout(resolve, PAUSE_MS));
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #startDue(): Promise<void> {
    const now = this.#parts.clock.now();
    const idle = (await this.#webhooks()).filter(({ id, lease }) => {
      const isLeasedElsewhere = lease && lease.holder !== this.#parts.holder && lease.until > now;
      return !this.#running.has(id) && !isLeasedElsewhere;
    });
    if (idle.some((webhook) => hasTurn(webhook, now))) await this.#tail.follow();
    const due = idle.filter((webhook) => this.#isDue(webhook, now));
    // Those that work come first, and among them those that wait longest.
    due.sort((a, b) => Number(!!a.retry) - Number(!!b.retry) || a.position - b.position);
    for (const webhook of due) if (!this.#isStopped) this.#start(webhook);
  }

  #isDue(webhook: WebhookSnapshot, now: number): boolean {
    const { requested, types, position } = webhook;
    if (requested.length > 0) return true;
    if (!hasTurn(webhook, now)) return false;
    return this.#tail.mayFollow(types, position) || this.#tail.distanceFrom(position) > MAX_DISTANCE;
  }

  #start({ id, retry }: WebhookSnapshot): void {
    const isFailing = retry !== undefined;
    const failing = Array.from(this.#running.values()).filter((each) => each.isFailing).length;
    if (this.#running.size >= MAX_COURIERS || (isFailing && failing >= MAX_FAILING)) return;
    const stop = new AbortController();
    const ended = this.#courier.deliver(id, stop.signal, MAX_MESSAGES).then(
      () => {
        this.#running.delete(id);
        if (!this.#isStopped) this.wake();
      },
      (error: unknown) => {
        // Nothing is woken: what the storage refuses now, it would refuse again at once.
        this.#running.delete(id);
        this.#parts.log.warn('a webhook could not be served', { webhook: id, error });
      },
    );
    this.#running.set(id, { ended, stop, isFailing, leasedUntil: this.#parts.clock.now() + LEASE_MS });
  }

  /** Renews the leases of the deliveries in progress; one whose lease is lost is interrupted. */
  async #renew(): Promise<void> {
    const { clock, log } = this.#parts;
    for (const [id, running] of [...this.#running]) {
      const leasedUntil = clock.now() + LEASE_MS;
      try {
        if (await this.#courier.renew(id)) running.stop.abort();
        else running.leasedUntil = leasedUntil;
      } catch (error) {
        log.warn('the lease of a webhook could not be renewed', { webhook: id, error });
        if (running.leasedUntil <= clock.now()) running.stop.abort();
      }
    }
  }

  #interrupt(): void {
    for (const { stop } of this.#running.values()) stop.abort();
  }

  async #webhooks(): Promise<WebhookSnapshot[]> {
    const webhooks: WebhookSnapshot[] = [];
    for (let after: PageBounds['after']; ; ) {
      const { rows, next } = await this.#parts.reader.webhooks({ limit: PAGE, after });
      webhooks.push(...rows);
      if (!next) return webhooks;
      after = next;
    }
  }
}
