import type { TextQuery } from '../dialect.ts';
import { SAVE_RECORD } from '../idempotency-store.ts';
import { APPEND_MOVEMENT } from '../ledger.ts';
import { ADD_ORDER } from '../order-repository.ts';
import { APPEND_EVENT } from './outbox.ts';
import { SAVE_STOCK, type StockRow } from './stock.ts';

/** A command of a unit of work that was not sent yet. */
export interface Unsent {
  /** The statement that it was made from. */
  readonly statement: object;
  readonly command: TextQuery<unknown>;
  /** The stock that it saves. */
  readonly stock?: StockRow;
  /** Is called with the error if the command fails. */
  readonly failed?: (error: unknown) => void;
}

/**
 * Commands that are executed for many rows at once, in this order: each value of the command for one row becomes an array. They
 * write rows that do not depend on each other, except that of several changes of one stock the last one counts.
 */
const FOR_MANY = new Map<object, string>([
  [
    ADD_ORDER,
    `insert into orders (id, pet_id, quantity, ship_date, complete)
      select * from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[])`,
  ],
  [
    SAVE_STOCK,
    `update pets set quantity = stock.quantity, reserved = stock.reserved, held = stock.held, status = stock.status
      from unnest(?::bigint[], ?::bigint[], ?::smallint[], ?::text[], ?::bigint[])
        as stock (quantity, reserved, held, status, id) where pets.id = stock.id`,
  ],
  [
    APPEND_MOVEMENT,
    `insert into movements (pet_id, kind, quantity, reserved, order_id, at)
      select * from unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])`,
  ],
  [
    APPEND_EVENT,
    `insert into outbox (type, data, at)
      select * from unnest(?::text[], ?::text[], ?::bigint[])`,
  ],
  [
    SAVE_RECORD,
    `insert into idempotency_records (request_id, fingerprint, response, saved_at)
      select * from unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::bigint[])
      on conflict (request_id) do update set
        fingerprint = excluded.fingerprint, response = excluded.response, saved_at = excluded.saved_at`,
  ],
]);

/** Commands of several units of work, collected so that one statement writes the rows of all of them. */
export class Bulk {
  readonly #commands = new Map<object, Map<number | string, Unsent>>();
  #count = 0;

  /** Whether a command can be collected with others. */
  static takes({ statement }: Unsent): boolean {
    return FOR_MANY.has(statement);
  }

  add(unsent: Unsent): void {
    const { statement, stock } = unsent;
    let commands = this.#commands.get(statement);
    if (!commands) this.#commands.set(statement, (commands = new Map()));
    commands.set(stock?.id ?? `${this.#count++}`, unsent);
  }

  /** Whether it changes the stock of a pet. */
  changesStock(petId: number): boolean {
    return this.#commands.get(SAVE_STOCK)?.has(petId) ?? false;
  }

  /** Whether it saves records of requests. */
  get savesRecords(): boolean {
    return this.#commands.has(SAVE_RECORD);
  }

  /** Removes all commands, and returns what executes them. */
  drain(): Unsent[] {
    const drained: Unsent[] = [];
    for (const [statement, sql] of FOR_MANY) {
      const commands = [...(this.#commands.get(statement)?.values() ?? [])];
      const [first] = commands;
      if (!first) continue;
      if (commands.length === 1) {
        drained.push(first);
        continue;
      }
      const values = first.command.values.map((_, column) => commands.map(({ command }) => command.values[column]));
      const failed = (error: unknown) => {
        for (const each of commands) each.failed?.(error);
      };
      drained.push({ statement, command: { sql, values }, failed });
    }
    this.#commands.clear();
    return drained;
  }
}
