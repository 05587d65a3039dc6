import { LRUCache } from 'lru-cache';
import type { Allowance, Remainder } from '../../application/ports/rate-limiter.ts';
import type { PolicyCounter } from './policy-counter.ts';

/** Seconds. */
export const LONGEST_WINDOW = 60;

/** The quotas of all clients of one kind: every client has its own for each policy. */
export class Shares {
  readonly #counters: readonly PolicyCounter[];
  /** Refused clients, and until when (milliseconds since 1970-01-01T00:00:00Z): their requests are not counted before that. */
  readonly #refused: LRUCache<string, number>;

  constructor(counters: readonly PolicyCounter[], maxClients: number) {
    this.#counters = counters;
    this.#refused = new LRUCache({ max: maxClients });
  }

  async take(client: string): Promise<Allowance> {
    if (this.#isRefused(client)) return { allowed: false, remainders: await this.#remainders(client) };
    const remainders: Remainder[] = [];
    let allowed = true;
    // In sequence: a request that one policy refuses is not counted by the next ones.
    for (const counter of this.#counters) {
      if (!allowed) {
        remainders.push(await counter.look(client));
        continue;
      }
      const { remainder, refusedFor } = await counter.take(client);
      remainders.push(remainder);
      if (refusedFor > 0) {
        allowed = false;
        this.#refused.set(client, Date.now() + refusedFor);
      }
    }
    return { allowed, remainders };
  }

  async look(client: string): Promise<Allowance> {
    const remainders = await this.#remainders(client);
    return { allowed: remainders.every(({ left }) => left > 0), remainders };
  }

  async #remainders(client: string): Promise<Remainder[]> {
    const remainders: Remainder[] = [];
    for (const counter of this.#counters) remainders.push(await counter.look(client));
    return remainders;
  }

  #isRefused(client: string): boolean {
    const until = this.#refused.get(client);
    if (until === undefined) return false;
    const wait = until - Date.now();
    // Longer than a window: the clock was set back.
    if (wait > 0 && wait <= LONGEST_WINDOW * 1000) return true;
    this.#refused.delete(client);
    return false;
  }
}
