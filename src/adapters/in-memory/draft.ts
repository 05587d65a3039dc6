import type { Tables } from './store.ts';
import { comparePositions, type Key, type Table } from './table.ts';

/** What one unit of work sees and does: the kept rows, and over them its own changes, which nobody else sees. */
export class Draft {
  readonly #tables;
  #ended = false;

  constructor(kept: Tables) {
    this.#tables = {
      categories: new DraftTable(kept.categories),
      pets: new DraftTable(kept.pets),
      orders: new DraftTable(kept.orders),
      movements: new DraftTable(kept.movements),
      events: new DraftTable(kept.events),
      idempotency: new DraftTable(kept.idempotency),
      apiKeys: new DraftTable(kept.apiKeys),
    };
  }

  /** @throws {Error} after the unit of work has ended */
  get tables() {
    if (this.#ended) throw new Error('This unit of work has ended; its scope can no longer be used.');
    return this.#tables;
  }

  /** Keeps everything, in one step for everyone who looks on. */
  keep(): void {
    for (const table of Object.values(this.tables)) table.keep();
  }

  end(): void {
    this.#ended = true;
  }
}

/** Changes that lie over a table until they are kept. It costs what is changed, however much the table holds. */
class DraftTable<Row extends { readonly id: number }, Field extends string> {
  readonly #table: Table<Row, Field>;
  readonly #changes = new Map<number, Row | undefined>();
  #lastId: number;

  constructor(table: Table<Row, Field>) {
    this.#table = table;
    this.#lastId = table.lastId;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  get(id: number): Row | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#table.get(id);
  }

  /** The rows that have `key` in a field. */
  *having(field: Field, key: Key): Generator<Row> {
    const hasKey = (row: Row) => this.#table.positionOf(field, row).key === key;
    for (const row of this.#changes.values()) if (row && hasKey(row)) yield row;
    for (const row of this.#table.sorted({ by: field }, { key, id: 0 })) {
      if (!hasKey(row)) return;
      if (!this.#changes.has(row.id)) yield row;
    }
  }

  /** The rows in the order of a field. They must not be changed before the last one that is asked for. */
  *sorted(field: Field): Generator<Row> {
    const positionOf = (row: Row) => this.#table.positionOf(field, row);
    const isBefore = (row: Row, other: Row) => comparePositions(positionOf(row), positionOf(other)) < 0;
    const changed = [...this.#changes.values()].filter((row) => row !== undefined);
    changed.sort((a, b) => comparePositions(positionOf(b), positionOf(a)));
    for (const row of this.#table.sorted({ by: field })) {
      if (this.#changes.has(row.id)) continue;
      for (let own = changed.at(-1); own && isBefore(own, row); own = changed.at(-1)) yield changed.pop() as Row;
      yield row;
    }
    yield* changed.reverse();
  }

  has(field: Field, key: Key): boolean {
    return !this.having(field, key).next().done;
  }

  /** @throws {Error} when there is one with that identifier */
  insert(row: Row): void {
    if (this.get(row.id)) throw new Error(`There already is a row ${row.id}.`);
    this.#changes.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
  }

  /** @throws {Error} when there is none with that identifier */
  update(row: Row): void {
    if (!this.get(row.id)) throw new Error(`There is no row ${row.id} to save.`);
    this.#changes.set(row.id, row);
  }

  delete(id: number): void {
    if (this.get(id)) this.#changes.set(id, undefined);
  }

  keep(): void {
    for (const [id, row] of this.#changes) this.#table.put(id, row);
  }
}
