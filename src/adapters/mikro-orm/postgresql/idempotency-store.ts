import { createHash } from 'node:crypto';
import { type IdempotencyRecord, RequestInProgress } from '../../../application/ports/idempotency-store.ts';
import { FIND_RECORD, MikroOrmIdempotencyStore, showRecord } from '../idempotency-store.ts';
import { sqlState } from './postgresql-errors.ts';
import { MAY_PURGE } from './purge.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Several units of work run at a time here, so each locks its request before it looks for the record. */
export class PostgresqlIdempotencyStore extends MikroOrmIdempotencyStore {
  readonly #session: PostgresqlWriteSession;

  constructor(session: PostgresqlWriteSession) {
    super(session);
    this.#session = session;
  }

  /** There may be no row to lock, so an advisory lock stands for it. The record is read after the lock was waited for. */
  override async lock(requestId: string): Promise<IdempotencyRecord | undefined> {
    try {
      const values = { requestId: Buffer.from(requestId) };
      return showRecord(await this.#session.lockRequest(digestOf(requestId), FIND_RECORD, values));
    } catch (error) {
      const { cause } = error as Error;
      if (sqlState(cause ?? error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new RequestInProgress('The same request is in progress on another node.', { cause: error });
    }
  }

  /** One node at a time purges; meanwhile the others find nothing to delete. */
  override async deleteExpired(savedBefore: number, most: number): Promise<number> {
    const allowed = await this.#session.one(MAY_PURGE, {});
    return allowed?.mayPurge === 't' ? super.deleteExpired(savedBefore, most) : 0;
  }
}

/** The key of the advisory lock: 64 bits. */
function digestOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest().readBigInt64BE().toString();
}
