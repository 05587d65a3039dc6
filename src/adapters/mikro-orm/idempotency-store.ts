import { sql } from 'kysely';
import type { IdempotencyRecord, IdempotencyStore } from '../../application/ports/idempotency-store.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

export const FIND_RECORD = statement((db, { requestId }: { requestId: Buffer }, { locksRows }) =>
  db
    .selectFrom('idempotency_records')
    .select(['fingerprint', 'response', 'savedAt'])
    .where('requestId', '=', requestId)
    .$if(locksRows, (query) => query.forUpdate()),
);

export const SAVE_RECORD = statement(
  (db, { requestId, fingerprint, response, savedAt }: RowOf<'idempotency_records'>) =>
    db
      .insertInto('idempotency_records')
      .values({ requestId, fingerprint, response, savedAt })
      .onConflict((conflict) =>
        conflict.column('requestId').doUpdateSet((row) => ({
          fingerprint: row.ref('excluded.fingerprint'),
          response: row.ref('excluded.response'),
          savedAt: row.ref('excluded.savedAt'),
        })),
      ),
);

/** SQLite uses the value of a bare `limit ?` in its plan and therefore prepares the statement again at every run; with an expression it does not. */
const DELETE_EXPIRED = statement((db, { savedBefore, most }: { savedBefore: number; most: number }, { locksRows }) =>
  db.deleteFrom('idempotency_records').where('requestId', 'in', (records) =>
    records
      .selectFrom('idempotency_records')
      .select('requestId')
      .where('savedAt', '<', savedBefore)
      .orderBy('savedAt')
      .orderBy('requestId')
      .limit(sql<number>`${most} + 0`)
      .$if(locksRows, (query) => query.forUpdate().skipLocked()),
  ),
);

export class MikroOrmIdempotencyStore implements IdempotencyStore {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock(requestId: string): Promise<IdempotencyRecord | undefined> {
    return showRecord(await this.#session.one(FIND_RECORD, { requestId: Buffer.from(requestId) }));
  }

  async save(requestId: string, { fingerprint, response, savedAt }: IdempotencyRecord): Promise<void> {
    const texts = { fingerprint: Buffer.from(fingerprint), response: Buffer.from(response) };
    await this.#session.send(SAVE_RECORD, { requestId: Buffer.from(requestId), ...texts, savedAt });
  }

  async deleteExpired(savedBefore: number, most: number): Promise<number> {
    return this.#session.run(DELETE_EXPIRED, { savedBefore, most });
  }
}

export function showRecord(
  row: Omit<RowOf<'idempotency_records'>, 'requestId'> | undefined,
): IdempotencyRecord | undefined {
  if (!row) return undefined;
  const { fingerprint, response, savedAt } = row;
  return { fingerprint: fingerprint.toString(), response: response.toString(), savedAt };
}
