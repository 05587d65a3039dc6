import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type IdempotencyRecord, RequestInProgress } from '../../../application/ports/idempotency-store.ts';
import { FIND_RECORD, MikroOrmIdempotencyStore, showRecord } from '../idempotency-store.ts';
import { postgresqlStatement } from '../statement.ts';
import { sqlState } from './postgresql-errors.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

/** Markers are needed while a commit is in doubt, which lasts as long as a unit of work may take. By the clock of the database. */
const DELETE_MARKERS = postgresqlStatement((db) =>
  db
    .deleteFrom('commit_markers')
    .where('at', '<', sql<number>`cast(extract(epoch from now() - interval '1 day') * 1000 as bigint)`),
);

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

  override async deleteExpired(savedBefore: number, most: number): Promise<number> {
    await this.#session.run(DELETE_MARKERS, {});
    return super.deleteExpired(savedBefore, most);
  }
}

/** The key of the advisory lock: 64 bits. */
function digestOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest().readBigInt64BE().toString();
}
