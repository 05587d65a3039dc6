import type { ChangeOptions, IdempotentRequest } from './change-options.ts';
import type { Clock } from './ports/clock.ts';
import { type IdempotencyRecord, RequestInProgress } from './ports/idempotency-store.ts';
import type { UnitOfWork, WriteOptions, WriteScope } from './ports/unit-of-work.ts';

/** How long the response to a request is kept, in milliseconds. */
export const RETENTION_MS = 24 * 60 * 60 * 1000;

const PURGE_BATCH = 500;

/**
 * Executes the changes of all use cases: each in one unit of work, and one with an {@link IdempotentRequest} at most once (IETF draft
 * "The Idempotency-Key HTTP Header Field"). The response is recorded in the unit of work of the change, so that neither is committed
 * without the other.
 */
export class IdempotentUnitOfWork {
  readonly #work: UnitOfWork;
  readonly #clock: Clock;
  readonly #inProgress = new Set<string>();

  constructor(work: UnitOfWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** @throws {AlreadyExecuted | RequestInProgress | KeyReused} and what `work` throws */
  write<View>(work: (scope: WriteScope) => Promise<View>, options: ChangeOptions<View> = {}): Promise<View> {
    const { idempotency } = options;
    return idempotency ? this.#writeOnce(work, idempotency, options) : this.#work.write(work, options);
  }

  /** Deletes the expired records. Returns how many those were. */
  async purgeExpired(): Promise<number> {
    const savedBefore = this.#clock.now() - RETENTION_MS;
    for (let purged = 0; ; ) {
      const deleted = await this.#work.write(({ idempotency }) => idempotency.deleteExpired(savedBefore, PURGE_BATCH));
      purged += deleted;
      if (deleted < PURGE_BATCH) return purged;
    }
  }

  async #writeOnce<View>(
    work: (scope: WriteScope) => Promise<View>,
    request: IdempotentRequest<View>,
    options: WriteOptions,
  ): Promise<View> {
    if (this.#inProgress.has(request.id)) throw new RequestInProgress('The same request is in progress.');
    this.#inProgress.add(request.id);
    try {
      return await this.#writeAndRecord(work, request, options, request.render);
    } catch (error) {
      const refusal = request.renderRefusal(error);
      // Its changes were rolled back. The refusal is recorded separately, unless a retry on another node was faster.
      if (refusal !== undefined) await this.#writeAndRecord(async () => refusal, request, options, String);
      throw error;
    } finally {
      this.#inProgress.delete(request.id);
    }
  }

  #writeAndRecord<View>(
    work: (scope: WriteScope) => Promise<View>,
    { id, fingerprint }: Pick<IdempotentRequest<View>, 'id' | 'fingerprint'>,
    options: WriteOptions,
    render: (view: View) => string,
  ): Promise<View> {
    return this.#work.write(async (scope) => {
      const now = this.#clock.now();
      const recorded = await scope.idempotency.lock(id);
      if (recorded && isFresh(recorded, now)) {
        throw recorded.fingerprint === fingerprint ? new AlreadyExecuted(recorded.response) : new KeyReused();
      }
      const view = await work(scope);
      await scope.idempotency.save(id, { fingerprint, response: render(view), savedAt: now });
      return view;
    }, options);
  }
}

/** The request was executed before; this is the response that was recorded then. */
export class AlreadyExecuted extends Error {
  override readonly name = 'AlreadyExecuted';
  readonly response: string;

  constructor(response: string) {
    super('The request was executed before.');
    this.response = response;
  }
}

/** The key was used with another request before. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

function isFresh({ savedAt }: IdempotencyRecord, now: number): boolean {
  return now < savedAt + RETENTION_MS;
}
