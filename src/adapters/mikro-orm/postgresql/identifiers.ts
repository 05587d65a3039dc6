import { sql } from 'kysely';
import { postgresqlStatement } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import type { PostgresqlResult } from './postgresql-pool.ts';
import type { Querying } from './querying.ts';

/** How many identifiers are taken at once at most. */
const MOST_IDS = 256;

const TAKE_IDS = postgresqlStatement((db, { sequence, count }: { sequence: string; count: number }) =>
  db.selectFrom(sql`generate_series(1, ${count})`.as('n')).select(sql<number>`nextval(${sequence})`.as('id')),
);

const MARK_AND_TAKE_IDS = `with marked as (
    insert into commit_markers (unit, at) values (?, cast(extract(epoch from now()) * 1000 as bigint)))
  select nextval(?) as id from generate_series(1, ?)`;

const sequenceOf = (table: TableWithId) => `${table}_id_seq`;

/**
 * Assigns identifiers in a transaction. What it takes ahead ends with the transaction: another one may have been assigned later
 * identifiers, which would then be smaller than some that were acknowledged before.
 */
export class Identifiers {
  readonly #transaction: Querying;
  readonly #ordersLeft: () => number;
  /** Identifiers of orders for the units of work that are left. */
  #orderIds: number[] = [];

  /** `ordersLeft`: how many units of work are left that may place an order. */
  constructor(transaction: Querying, ordersLeft: () => number) {
    this.#transaction = transaction;
    this.#ordersLeft = ordersLeft;
  }

  /** Returns at least one; as many as are wanted, if they are. */
  async take(part: object, table: TableWithId, wanted: number): Promise<number[]> {
    const isOrder = table === 'orders' && wanted === 0;
    const ready = isOrder ? this.#orderIds.shift() : undefined;
    if (ready !== undefined) return [ready];
    const count = Math.min(Math.max(1, isOrder ? this.#ordersLeft() : wanted), MOST_IDS);
    const { rows } = await this.#query(part, sequenceOf(table), count);
    const ids = (rows as { readonly id: number }[]).map(({ id }) => id);
    if (!isOrder) return ids;
    this.#orderIds = ids.slice(1);
    return ids.slice(0, 1);
  }

  /** Who takes identifiers writes something afterwards, so the same statement marks the transaction. */
  #query(part: object, sequence: string, count: number): Promise<PostgresqlResult> {
    const { id: unit, isMarked, statements } = this.#transaction;
    if (isMarked) return this.#transaction.query(part, statements.bind(TAKE_IDS, { sequence, count }));
    const sent = this.#transaction.query(part, { sql: MARK_AND_TAKE_IDS, values: [unit, sequence, count] });
    this.#transaction.markedBy(sent);
    return sent;
  }

  /** Moves a sequence behind an identifier that it did not assign, as that of a store which is filled by hand. */
  async advance(part: object, table: TableWithId, id: number): Promise<void> {
    const sequence = sequenceOf(table);
    const text = `select setval('${sequence}', ?) from ${sequence} where last_value <= ?`;
    await this.#transaction.query(part, { sql: text, values: [id, id] });
    this.#orderIds = [];
  }
}
