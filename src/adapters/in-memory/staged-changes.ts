import type { Tables } from './store.ts';
import { comparePositions, type Key, type Table } from './table.ts';

/** What one unit of work reads and writes: its own changes on top of the committed rows. No other unit of work and no reader sees them. */
export class StagedChanges {
  readonly #tables;
  #ended = false;

  constructor(kept: Tables) {
    this.#tables = {
      categories: new StagedTable(kept.categories),
      pets: new StagedTable(kept.pets),
      orders: new StagedTable(kept.orders),
      movements: new StagedTable(kept.movements),
      events: new StagedTable(kept.events),
      idempotency: new StagedTable(kept.idempotency),
      apiKeys: new StagedTable(kept.apiKeys),
      webhooks: new StagedTable(kept.webhooks),
      webhookDeliveries: new StagedTable(kept.webhookDeliveries),
    };
  }

  /** @throws {Error} after the unit of work has ended */
  get tables() {
    if (this.#ended) throw new Error('This unit of work has ended; its scope can no longer be used.');
    return this.#tables;
  }

  /** Applies all changes to the tables, within one step of the event loop. */
  apply(): void {
    for (const table of Object.values(this.tables)) table.apply();
  }

  end(): void {
    this.#ended = true;
  }
}

/** Changes on top of a table. Its cost depends on the number of changes and not on the size of the table. */
class StagedTable<Row extends { readonly id: number }, Field extends string> {
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

  /** The rows in the order in which they were stored. The caller must not change rows while it iterates. */
  *all(): Generator<Row> {
    for (const row of this.#table.all()) if (!this.#changes.has(row.id)) yield row;
    for (const row of this.#changes.values()) if (row) yield row;
  }

  /** The rows whose `field` has this key. */
  *having(field: Field, key: Key): Generator<Row> {
    const hasKey = (row: Row) => this.#table.positionOf(field, row).key === key;
    for (const row of this.#changes.values()) if (row && hasKey(row)) yield row;
    for (const row of this.#table.sorted({ by: field }, { key, id: 0 })) {
      if (!hasKey(row)) return;
      if (!this.#changes.has(row.id)) yield row;
    }
  }

  /** The rows in the order of a field. The caller must not change rows while it iterates. */
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

  /** @throws {Error} if the identifier exists */
  insert(row: Row): void {
    if (this.get(row.id)) throw new Error(`There already is a row ${row.id}.`);
    this.#changes.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
  }

  /** @throws {Error} if the identifier does not exist */
  update(row: Row): void {
    if (!this.get(row.id)) throw new Error(`There is no row ${row.id} to save.`);
    this.#changes.set(row.id, row);
  }

  delete(id: number): void {
    if (this.get(id)) this.#changes.set(id, undefined);
  }

  apply(): void {
    for (const [id, row] of this.#changes) this.#table.put(id, row);
  }
}
