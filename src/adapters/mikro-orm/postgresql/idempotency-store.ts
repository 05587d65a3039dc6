import { type IdempotencyRecord, RequestInProgress } from '../../../application/ports/idempotency-store.ts';
import { MikroOrmIdempotencyStore } from '../idempotency-store.ts';
import { postgresqlStatement, statement } from '../statement.ts';
import { sqlState } from './postgresql-errors.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Takes the place of a record. Waits while another transaction has it, which no other statement would see. The row never
 * expires; it is replaced by the record, or deleted, before others can see it.
 */
const CLAIM = statement((db, { requestId }: { requestId: Buffer }) =>
  db
    .insertInto('idempotency_records')
    .values({ requestId, fingerprint: NOTHING, response: NOTHING, savedAt: Number.MAX_SAFE_INTEGER })
    .onConflict((conflict) => conflict.column('requestId').doNothing()),
);

const UNCLAIM = statement((db, { requestId }: { requestId: Buffer }) =>
  db.deleteFrom('idempotency_records').where('requestId', '=', requestId),
);

const DELETE_MARKS = postgresqlStatement((db, { before }: { before: number }) =>
  db.deleteFrom('commit_markers').where('at', '<', before),
);

const LOCK_NOT_AVAILABLE = '55P03';

/** Several units of work run at a time here, so each claims its request before it looks for the record. */
export class PostgresqlIdempotencyStore extends MikroOrmIdempotencyStore {
  readonly #session: PostgresqlWriteSession;
  /** What this unit of work has claimed and not saved. */
  readonly #claimed = new Set<string>();

  constructor(session: PostgresqlWriteSession) {
    super(session);
    this.#session = session;
  }

  override async lock(requestId: string): Promise<IdempotencyRecord | undefined> {
    while (!this.#claimed.has(requestId)) {
      if ((await unlessInProgress(this.#session.run(CLAIM, { requestId: Buffer.from(requestId) }))) > 0) {
        this.#claimed.add(requestId);
        this.#session.beforeCommit(() => this.#unclaim(requestId));
        break;
      }
      const record = await unlessInProgress(super.lock(requestId));
      // Between the two it may have been deleted: then its place is free.
      if (record) return record;
    }
    return undefined;
  }

  override async save(requestId: string, record: IdempotencyRecord): Promise<void> {
    await super.save(requestId, record);
    this.#claimed.delete(requestId);
  }

  override async deleteExpired(savedBefore: number, most: number): Promise<number> {
    await this.#session.run(DELETE_MARKS, { before: savedBefore });
    return super.deleteExpired(savedBefore, most);
  }

  async #unclaim(requestId: string): Promise<void> {
    if (this.#claimed.delete(requestId)) await this.#session.run(UNCLAIM, { requestId: Buffer.from(requestId) });
  }
}

/** A lock timeout on the record means that the same request is in progress elsewhere. */
async function unlessInProgress<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    const { cause } = error as Error;
    if (sqlState(cause ?? error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new RequestInProgress('The same request is in progress on another node.', { cause: error });
  }
}
