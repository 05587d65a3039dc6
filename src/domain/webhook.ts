import type { DomainEvent } from './events.ts';
import { assertId, assertInstant, assertUrl } from './limits.ts';

type EventType = DomainEvent['type'];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long the previous secret signs beside the new one, in milliseconds. */
export const SECRET_OVERLAP_MS = 24 * HOUR;
/** How long a delivery is attempted again, in milliseconds. */
export const RETRY_LIMIT_MS = 24 * HOUR;

/** How long to wait after each failed attempt, in milliseconds; a random part of up to a fifth is added. */
const RETRY_DELAYS = [
  ...[5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[1, 2, 3, 4, 5, 6].map((hours) => hours * HOUR),
];

/** Instants are in milliseconds since 1970-01-01T00:00:00Z. */
export interface WebhookSnapshot {
  readonly id: number;
  readonly url: string;
  /** The types of the events that it receives, each once. */
  readonly types: readonly EventType[];
  readonly active: boolean;
  readonly createdAt: number;
  /** Why the service switched it off; absent if the service did not. */
  readonly disabledReason?: string | undefined;
  /** Signs its deliveries (`whsec_…`). */
  readonly secret: string;
  /** Signs beside the secret until an instant. */
  readonly previousSecret?: { readonly secret: string; readonly until: number } | undefined;
  /** Every event up to this position was delivered, or is none that it receives. */
  readonly position: number;
  /** The delivery of the next event failed, first at `since`; the next attempt is due at `at`. */
  readonly retry?: { readonly deliveryId: number; readonly since: number; readonly at: number } | undefined;
  /** Deliveries that a person requested and that were not attempted yet, in the order of the requests. */
  readonly requested: readonly number[];
  /** Which process delivers for it, and until when no other may. */
  readonly lease?: { readonly holder: string; readonly until: number } | undefined;
}

/** What of a webhook changes; what is absent stays as it is. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly active?: boolean | undefined;
}

/** A receiver outside the service to which events are delivered, one at a time and in their order. */
export class Webhook {
  readonly id: number;
  #facts: Omit<WebhookSnapshot, 'id'>;

  private constructor({ id, ...facts }: WebhookSnapshot) {
    assertId(id);
    assertUrl(facts.url);
    assertInstant(facts.createdAt);
    this.id = id;
    this.#facts = { ...facts, types: [...facts.types], requested: [...facts.requested] };
  }

  /** `position`: the last event that it does not receive. */
  static create(webhook: Omit<WebhookSnapshot, 'disabledReason' | 'previousSecret' | 'retry' | 'requested' | 'lease'>) {
    return new Webhook({ ...webhook, requested: [] });
  }

  static recall(snapshot: WebhookSnapshot): Webhook {
    return new Webhook(snapshot);
  }

  snapshot(): WebhookSnapshot {
    return structuredClone(withoutUndefined({ id: this.id, ...this.#facts }));
  }

  /**
   * Changes what a person decides. A new address and activation end the wait for the next attempt. One that is activated again
   * continues with the event at which it stopped. Returns whether anything changed.
   */
  change(
    { url = this.#facts.url, types = this.#facts.types, active = this.#facts.active }: WebhookChange,
    now: number,
  ) {
    const before = this.#facts;
    const sameTypes = types.length === before.types.length && types.every((type) => before.types.includes(type));
    if (url === before.url && sameTypes && active === before.active) return false;
    assertUrl(url);
    const { retry } = before;
    const restarts = retry && (url !== before.url || (active && !before.active));
    this.#facts = {
      ...before,
      url,
      types: sameTypes ? before.types : [...types],
      active,
      disabledReason: active ? undefined : before.disabledReason,
      retry: restarts ? { ...retry, since: now, at: now } : retry,
    };
    return true;
  }

  /** The previous secret signs beside the new one until the instant that this returns. */
  rotateSecret(secret: string, now: number): number {
    const until = now + SECRET_OVERLAP_MS;
    this.#facts = { ...this.#facts, secret, previousSecret: { secret: this.#facts.secret, until } };
    return until;
  }

  /** Requests a delivery, once. */
  request(deliveryId: number): void {
    if (this.#facts.requested.includes(deliveryId)) return;
    this.#facts = { ...this.#facts, requested: [...this.#facts.requested, deliveryId] };
  }

  /** A requested delivery was attempted. */
  settleRequest(deliveryId: number): void {
    this.#facts = { ...this.#facts, requested: this.#facts.requested.filter((id) => id !== deliveryId) };
  }

  /** Every event up to `position` was delivered, or is none that it receives. */
  advance(position: number): void {
    this.#facts = { ...this.#facts, position: Math.max(position, this.#facts.position), retry: undefined };
  }

  /**
   * An attempt to deliver the next event failed. Returns when the next one is due; `undefined` after the last one, at the end of
   * the time in which a delivery is attempted. `random`: 0 to 1.
   */
  postpone(deliveryId: number, attempts: number, now: number, random: number): number | undefined {
    const since = this.#facts.retry?.since ?? now;
    const end = since + RETRY_LIMIT_MS;
    if (now >= end) return undefined;
    const delay = (RETRY_DELAYS[attempts - 1] ?? RETRY_LIMIT_MS) * (1 + random / 5);
    const at = Math.min(Math.round(now + delay), end);
    this.#facts = { ...this.#facts, retry: { deliveryId, since, at } };
    return at;
  }

  /** Switches it off. The reason is a sentence for the person who owns it. */
  disable(reason: string): void {
    this.#facts = { ...this.#facts, active: false, disabledReason: reason, retry: undefined };
  }

  /** Returns whether `holder` has the lease now: no other has one that has not expired. */
  lease(holder: string, now: number, until: number): boolean {
    const { lease } = this.#facts;
    if (lease && lease.holder !== holder && lease.until > now) return false;
    this.#facts = { ...this.#facts, lease: { holder, until } };
    return true;
  }

  /** Ends the lease if `holder` has it. */
  release(holder: string): void {
    if (this.#facts.lease?.holder === holder) this.#facts = { ...this.#facts, lease: undefined };
  }
}

/** The secrets that sign a delivery, the current one first. */
export function signingSecrets({ secret, previousSecret }: WebhookSnapshot, now: number): string[] {
  return previousSecret && now < previousSecret.until ? [secret, previousSecret.secret] : [secret];
}

/** The same without the keys that have no value. */
function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}
