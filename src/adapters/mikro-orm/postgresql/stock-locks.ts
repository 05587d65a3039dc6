import type { Unsent } from './bulk.ts';
import { LockedElsewhere, type Querying } from './querying.ts';
import {
  changesPets,
  LOCK_STOCK,
  PET_EXISTS,
  SAVE_STOCK,
  type StockRow,
  TRY_LOCK_STOCK,
  TRY_LOCK_STOCKS,
} from './stock.ts';

/** The pets that are known to be locked first. */
export interface FirstLocks {
  readonly petIds: readonly number[];
  /** Whether all units of work lock the same one, or none. */
  readonly isForAll: boolean;
}

/** The pets that a transaction has locked, with their stock as it is in the transaction. */
export class StockLocks {
  readonly #transaction: Querying;
  readonly #hold: (petId: number) => boolean;
  readonly #known = new Map<number, StockRow>();
  /** Pets that another session had locked. */
  readonly #lockedElsewhere = new Set<number>();

  /** `hold` returns whether no other transaction of this node holds a pet. */
  constructor(transaction: Querying, hold: (petId: number) => boolean) {
    this.#transaction = transaction;
    this.#hold = hold;
  }

  knows(petId: number): boolean {
    return this.#known.has(petId);
  }

  forget(): void {
    this.#known.clear();
  }

  /** Keeps what is known as it is in the database, when a command is sent. */
  note({ statement, stock, command }: Unsent): void {
    if (statement === SAVE_STOCK) {
      if (stock && this.#known.has(stock.id)) this.#known.set(stock.id, stock);
    } else if (changesPets(command)) this.#known.clear();
  }

  /**
   * Locks what is known to be needed before the first unit of work. One pet that all of them need is waited for; of several, those
   * that are free are locked, in the order of their identifiers.
   */
  async lockFirst({ petIds, isForAll }: FirstLocks): Promise<void> {
    const [petId] = petIds;
    if (petId === undefined) return;
    const { statements, isDistributed } = this.#transaction;
    const queries = isForAll
      ? [statements.bind(LOCK_STOCK, { petId })]
      : isDistributed
        ? petIds.toSorted((a, b) => a - b).map((each) => statements.bind(TRY_LOCK_STOCK, { petId: each }))
        : [statements.bind(TRY_LOCK_STOCKS, { petIds })];
    const found = await Promise.all(queries.map((query) => this.#transaction.query(undefined, query)));
    for (const row of found.flatMap(({ rows }) => rows as StockRow[])) this.#known.set(row.id, row);
  }

  /**
   * Locks a pet. A shared transaction does not wait for one while it holds others, so that units of work do not wait for each other's
   * pets, and transactions do not wait for each other in a circle. @throws {LockedElsewhere}
   */
  async lock(part: object, petId: number): Promise<StockRow | undefined> {
    const row =
      this.#known.get(petId) ??
      (await (this.#transaction.isShared ? this.#tryLock(part, petId) : this.#wait(part, petId)));
    if (row) this.#known.set(petId, row);
    return row;
  }

  async #wait(part: object, petId: number): Promise<StockRow | undefined> {
    const query = this.#transaction.statements.bind(LOCK_STOCK, { petId });
    return (await this.#transaction.query(part, query)).rows[0] as StockRow | undefined;
  }

  async #tryLock(part: object, petId: number): Promise<StockRow | undefined> {
    if (this.#lockedElsewhere.has(petId)) throw new LockedElsewhere(petId, 'another session');
    if (!this.#hold(petId)) throw new LockedElsewhere(petId, 'this node');
    const { statements } = this.#transaction;
    const { rows } = await this.#transaction.query(part, statements.bind(TRY_LOCK_STOCK, { petId }));
    const [row] = rows as StockRow[];
    if (row) return row;
    const found = await this.#transaction.query(part, statements.bind(PET_EXISTS, { petId }));
    if (found.rows.length === 0) return undefined;
    this.#lockedElsewhere.add(petId);
    throw new LockedElsewhere(petId, 'another session');
  }
}
