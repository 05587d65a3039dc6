import { sql } from 'kysely';
import { postgresqlStatement } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import type { Querying } from './querying.ts';

/** How many identifiers are taken at once at most. */
const MOST_IDS = 256;

const TAKE_IDS = postgresqlStatement((db, { sequence, count }: { sequence: string; count: number }) =>
  db.selectFrom(sql`generate_series(1, ${count})`.as('n')).select(sql<number>`nextval(${sequence})`.as('id')),
);

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
    const query = this.#transaction.statements.bind(TAKE_IDS, { sequence: sequenceOf(table), count });
    const { rows } = await this.#transaction.query(part, query);
    const ids = (rows as { readonly id: number }[]).map(({ id }) => id);
    if (!isOrder) return ids;
    this.#orderIds = ids.slice(1);
    return ids.slice(0, 1);
  }

  /** Moves a sequence behind an identifier that it did not assign, as that of a store which is filled by hand. */
  async advance(part: object, table: TableWithId, id: number): Promise<void> {
    const sequence = sequenceOf(table);
    const text = `select setval('${sequence}', ?) from ${sequence} where last_value <= ?`;
    await this.#transaction.query(part, { sql: text, values: [id, id] });
    this.#orderIds = [];
  }
}
