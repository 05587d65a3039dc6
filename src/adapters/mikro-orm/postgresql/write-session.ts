import type { WriteSession } from '../session.ts';
import type { Command, CompiledStatements, Query } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import type { Unsent } from './bulk.ts';
import { isUniqueViolation } from './postgresql-errors.ts';
import { LockedElsewhere } from './querying.ts';
import { POSTGRESQL } from './read-session.ts';
import { changesPets, SAVE_STOCK, type StockRow } from './stock.ts';
import type { Transaction } from './transaction.ts';

/** So many commands are kept back at most before they are sent. */
const MOST_UNSENT = 100;

/**
 * The part of a transaction that belongs to one unit of work. Its first statement waits for its turn. Commands whose results are not
 * needed are sent when a later statement needs them, or when the unit has ended well: one that is refused before has written
 * nothing.
 */
export class PostgresqlWriteSession implements WriteSession {
  readonly dialect = POSTGRESQL;
  readonly #statements: CompiledStatements;
  readonly #turn = Promise.withResolvers<Transaction>();
  readonly #unsent: Unsent[] = [];
  /** What it has saved of pets. */
  readonly #stock = new Map<number, StockRow>();
  /** The pets that it has locked, or wanted to. */
  readonly #locked = new Set<number>();
  /** The identifiers that it was assigned. */
  readonly #taken = new Map<TableWithId, Set<number>>();
  /** Identifiers beyond those that it has asked for. They end with it: another unit may have been assigned later ones. */
  readonly #ahead = new Map<TableWithId, number[]>();
  #transaction: Transaction | undefined;
  #petId: number | undefined;
  #lockedBy: LockedElsewhere | undefined;
  #hasChangedPets = false;
  #hasSent = false;
  #isBehind = false;
  #ended = false;

  constructor(statements: CompiledStatements) {
    this.#statements = statements;
  }

  /** The pet that its first statement locks. */
  get petId(): number | undefined {
    return this.#petId;
  }

  /** Set if it wants what another transaction has locked. */
  get lockedBy(): LockedElsewhere | undefined {
    return this.#lockedBy;
  }

  /** Whether it locks more than one pet. */
  get locksSeveral(): boolean {
    return this.#locked.size > 1;
  }

  /** Whether the transaction has commands of it. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /**
   * Whether an identifier from the sequence is in use already: the server crashed, or another was promoted, behind a pooler that
   * kept the connection. The next one may be free.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Its turn begins. */
  start(transaction: Transaction): void {
    this.#transaction = transaction;
    this.#turn.resolve(transaction);
  }

  /** Sends what is left, and ends. */
  finish(transaction: Transaction): void {
    if (this.#hasSent) {
      this.#flush(transaction);
      transaction.release(this);
    } else for (const unsent of this.#unsent.splice(0)) transaction.collect(this, unsent);
    this.#hasSent = true;
    this.end();
  }

  end(): void {
    this.#ended = true;
  }

  async one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Promise<Row | undefined> {
    const transaction = await this.#upToDate();
    return (await transaction.query(this, this.#statements.bind(query, values))).rows[0] as Row | undefined;
  }

  async run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): Promise<number> {
    const bound = this.#statements.bind(command, values);
    const transaction = await this.#upToDate();
    this.#beginWriting(transaction);
    if (changesPets(bound)) transaction.stock.forget();
    return (await transaction.query(this, bound)).rowCount ?? 0;
  }

  async send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): Promise<void> {
    this.#assertNotEnded();
    this.#keepBack({ statement: command, command: this.#statements.bind(command, values) });
  }

  /** Locks the stock of a pet until the transaction ends. Another unit of the same transaction may have locked it before. */
  async lockStock(petId: number): Promise<StockRow | undefined> {
    this.#assertNotEnded();
    if (!this.#transaction) this.#petId ??= petId;
    this.#locked.add(petId);
    const transaction = await this.#current();
    const saved = this.#stock.get(petId);
    if (saved) return saved;
    // It may have changed pets itself, or the stock of one that it had not locked.
    if (this.#hasChangedPets || !transaction.stock.knows(petId)) this.#flush(transaction);
    return this.#locking(transaction.lockStock(this, petId));
  }

  /** Locks a request that may be retried until the transaction ends, and then runs a query for its record. */
  async lockRequest<Values extends object, Row>(
    digest: string,
    query: Query<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row | undefined> {
    const transaction = await this.#current();
    this.#flush(transaction);
    const found = this.#locking(transaction.lockRequest(this, digest, this.#statements.bind(query, values)));
    return (await found).rows[0] as Row | undefined;
  }

  /** Saves the stock of a pet, which it knows from then on if the pet is locked. */
  saveStock(row: StockRow): void {
    this.#assertNotEnded();
    const command = this.#statements.bind(SAVE_STOCK, row);
    this.#unsent.push({ statement: SAVE_STOCK, command, stock: row });
    if (this.#transaction?.stock.knows(row.id)) this.#stock.set(row.id, row);
    else this.#hasChangedPets = true;
  }

  async nextId(table: TableWithId): Promise<number> {
    this.#assertNotEnded();
    const id = this.#ahead.get(table)?.shift() ?? (await this.#takeIds(table));
    this.#takenOf(table).add(id);
    return id;
  }

  async add<Values extends { readonly id: number }>(
    table: TableWithId,
    insert: Command<Values>,
    values: NoInfer<Values>,
  ): Promise<void> {
    this.#assertNotEnded();
    const command = this.#statements.bind(insert, values);
    const isOwn = this.#takenOf(table).has(values.id);
    if (!isOwn) await this.#advance(table, values.id);
    const failed = (error: unknown) => {
      if (isOwn && isUniqueViolation(error, `${table}_pkey`)) this.#isBehind = true;
    };
    if (table !== 'categories') return this.#keepBack({ statement: insert, command, failed });
    // Its name may be taken.
    const transaction = await this.#upToDate();
    this.#beginWriting(transaction);
    await transaction.query(this, command, failed);
  }

  isNameTaken(error: unknown): boolean {
    return isUniqueViolation(error, 'categories_name_key');
  }

  async #locking<Result>(locked: Promise<Result>): Promise<Result> {
    try {
      return await locked;
    } catch (error) {
      if (error instanceof LockedElsewhere) this.#lockedBy = error;
      throw error;
    }
  }

  /** The transaction, once everything that was written in it is sent. */
  async #upToDate(): Promise<Transaction> {
    const transaction = await this.#current();
    transaction.flush();
    this.#flush(transaction);
    return transaction;
  }

  async #current(): Promise<Transaction> {
    this.#assertNotEnded();
    const transaction = this.#transaction ?? (await this.#turn.promise);
    this.#assertNotEnded();
    return transaction;
  }

  #keepBack(unsent: Unsent): void {
    this.#unsent.push(unsent);
    if (changesPets(unsent.command)) {
      this.#stock.clear();
      this.#hasChangedPets = true;
    }
    if (this.#transaction && this.#unsent.length >= MOST_UNSENT) this.#flush(this.#transaction);
  }

  #flush(transaction: Transaction): void {
    if (this.#unsent.length === 0) return;
    this.#beginWriting(transaction);
    for (const unsent of this.#unsent.splice(0)) transaction.send(this, unsent);
    this.#hasChangedPets = false;
  }

  #beginWriting(transaction: Transaction): void {
    if (!this.#hasSent) transaction.savepoint(this);
    this.#hasSent = true;
  }

  /** Takes as many as it has taken so far, since a unit that adds many usually adds more. Returns the first of them. */
  async #takeIds(table: TableWithId): Promise<number> {
    const transaction = await this.#current();
    const [first = Number.NaN, ...others] = await transaction.identifiers.take(this, table, this.#takenOf(table).size);
    this.#ahead.set(table, others);
    return first;
  }

  /** The sequence continues after an identifier that it did not assign. */
  async #advance(table: TableWithId, id: number): Promise<void> {
    const transaction = await this.#upToDate();
    this.#beginWriting(transaction);
    await transaction.identifiers.advance(this, table, id);
    this.#ahead.set(
      table,
      (this.#ahead.get(table) ?? []).filter((each) => each > id),
    );
  }

  #takenOf(table: TableWithId): Set<number> {
    let taken = this.#taken.get(table);
    if (!taken) this.#taken.set(table, (taken = new Set()));
    return taken;
  }

  #assertNotEnded(): void {
    if (this.#ended) throw new Error('This unit of work has ended; its scope can no longer be used.');
  }
}
