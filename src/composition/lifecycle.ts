import type { Container } from 'inversify';
import { EventStreams } from '../adapters/http/handler/event-streams.ts';
import { LoadShedder } from '../adapters/http/handler/load-shedder.ts';
import { Readiness } from '../adapters/http/handler/readiness.ts';
import { Demonstration } from '../application/demonstration.ts';
import { inBackground } from '../application/event-loop.ts';
import { EventRetention } from '../application/event-retention.ts';
import { IdempotentUnitOfWork } from '../application/idempotency.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { Storage } from '../application/ports/storage.ts';
import { StorageUnavailable } from '../application/ports/unit-of-work.ts';
import { WebhookDispatcher } from '../application/webhook-dispatcher.ts';
import type { PetstoreOptions } from './options.ts';

/** How often the start tries to fill an empty store; each attempt waits for a lock as long as the storage allows. */
const MAX_FILL_ATTEMPTS = 5;

/** Expired records no longer count; deleting them and expired events frees their memory. */
const PURGE_EVERY_MS = 10 * 60 * 1000;

/** Starts and stops the parts of a container, on every runtime. Until it is open, every request is answered with 503. */
export class Lifecycle {
  readonly #container: Container;
  readonly #closeServer: () => Promise<void>;
  readonly #storage: Storage;
  readonly #limiter: RateLimiter | undefined;
  readonly #idempotency: IdempotentUnitOfWork;
  readonly #events: EventRetention;
  readonly #webhooks: WebhookDispatcher | undefined;
  readonly #log: Log;
  #purging: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<void> | undefined;

  constructor(container: Container, closeServer = async () => {}) {
    this.#container = container;
    this.#closeServer = closeServer;
    this.#storage = container.get(Storage);
    this.#limiter = container.get(RateLimiter, { optional: true });
    this.#idempotency = container.get(IdempotentUnitOfWork);
    this.#events = container.get(EventRetention);
    this.#webhooks = container.get(WebhookDispatcher, { optional: true });
    this.#log = container.get(Log);
  }

  /** Opens the storage and fills an unused store. `prepare` is called after that, before the first request is accepted. */
  async open(
    options: PetstoreOptions,
    { openStorage = () => this.#storage.open(), prepare = async () => {} }: OpeningSteps = {},
  ): Promise<void> {
    await openStorage();
    if (isDemoWanted(options) && (await filled(this.#container.get(Demonstration)))) {
      this.#log.info('loaded the demonstration catalogue into the unused store');
    }
    await prepare();
    this.#purging = inBackground(setInterval(() => this.#purge(), PURGE_EVERY_MS));
    this.#webhooks?.start();
    this.#container.get(Readiness).open();
  }

  /** Completes the work in progress and releases all resources. May be called more than once. */
  close(closeStorage = () => this.#storage.close()): Promise<void> {
    this.#closing ??= this.#close(closeStorage);
    return this.#closing;
  }

  async #close(closeStorage: () => Promise<void>): Promise<void> {
    this.#container.get(Readiness).close();
    clearInterval(this.#purging);
    this.#container.get(EventStreams).close();
    await this.#closeServer();
    this.#container.get(LoadShedder).close();
    await this.#webhooks?.stop();
    await this.#limiter?.close();
    await closeStorage();
  }

  #purge(): void {
    this.#idempotency
      .purgeExpired()
      .catch((error: unknown) => this.#log.warn('expired idempotency records could not be deleted', { error }));
    this.#events.purge().catch((error: unknown) => this.#log.warn('expired events could not be removed', { error }));
    this.#webhooks
      ?.purge()
      .catch((error: unknown) => this.#log.warn('old deliveries of webhooks could not be deleted', { error }));
  }
}

interface OpeningSteps {
  readonly openStorage?: () => Promise<void>;
  readonly prepare?: () => Promise<void>;
}

/** By default only while authentication is off. */
function isDemoWanted({ demo, auth }: PetstoreOptions): boolean {
  return demo ?? auth === 'open';
}

/** Another node may be filling the same store at the same time. */
async function filled(demonstration: Demonstration): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await demonstration.fill();
    } catch (error) {
      if (attempt === MAX_FILL_ATTEMPTS || !(error instanceof StorageUnavailable)) throw error;
    }
  }
}
