import type { Position, Sort } from '../../application/ports/reader.ts';
import { compareText } from '../../domain/text.ts';
import { SortedList } from './sorted-list.ts';

export type Key = Position['key'];

/** Rows by identifier, with an index for each field that the constructor was given. */
export class Table<Row extends { readonly id: number }, Field extends string = never> {
  #lastId = 0;
  readonly #rows = new Map<number, Row>();
  readonly #indexes: Readonly<Record<Field, Index<Row>>>;

  constructor(keys: Readonly<Record<Field, (row: Row) => Key>>) {
    const indexes = Object.entries<(row: Row) => Key>(keys).map(([field, keyOf]) => [field, new Index(keyOf)]);
    this.#indexes = Object.fromEntries(indexes) as Record<Field, Index<Row>>;
  }

  /** The highest identifier that was ever stored, including deleted rows; 0 at first. */
  get lastId(): number {
    return this.#lastId;
  }

  get(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  all(): Iterable<Row> {
    return this.#rows.values();
  }

  /** The rows after `after`, in ascending or descending order of a field. Rows without a value come last. */
  *sorted({ by, descending = false }: Sort<Field>, after?: Position): Generator<Row> {
    for (const { id } of this.#indexes[by].walk(descending, after)) yield this.#rows.get(id) as Row;
  }

  positionOf(field: Field, row: Row): Position {
    return this.#indexes[field].positionOf(row);
  }

  /** Stores the row in place of the previous one; `undefined` deletes it. */
  put(id: number, row: Row | undefined): void {
    this.#lastId = Math.max(this.#lastId, id);
    const old = this.#rows.get(id);
    for (const index of Object.values<Index<Row>>(this.#indexes)) index.replace(old, row);
    if (row) this.#rows.set(id, row);
    else this.#rows.delete(id);
  }
}

class Index<Row extends { readonly id: number }> {
  readonly #keyOf: (row: Row) => Key;
  readonly #withKey = new SortedList(comparePositions);
  readonly #without = new SortedList(comparePositions);

  constructor(keyOf: (row: Row) => Key) {
    this.#keyOf = keyOf;
  }

  positionOf(row: Row): Position {
    return { key: this.#keyOf(row), id: row.id };
  }

  replace(old: Row | undefined, row: Row | undefined): void {
    const from = old && this.positionOf(old);
    const to = row && this.positionOf(row);
    if (from && to && from.key === to.key) return;
    if (from) this.#listOf(from).remove(from);
    if (to) this.#listOf(to).add(to);
  }

  *walk(descending: boolean, after?: Position): Generator<Position> {
    const walk = (list: SortedList<Position>, from?: Position) =>
      descending ? list.descending(from) : list.ascending(from);
    if (after?.key !== null) yield* walk(this.#withKey, after);
    yield* walk(this.#without, after?.key === null ? after : undefined);
  }

  #listOf({ key }: Position): SortedList<Position> {
    return key === null ? this.#without : this.#withKey;
  }
}

/** The sort order of a list. Positions without a key are sorted separately. */
export function comparePositions(a: Position, b: Position): number {
  const byKey = typeof a.key === 'string' ? compareText(a.key, String(b.key)) : Number(a.key ?? 0) - Number(b.key ?? 0);
  return byKey || a.id - b.id;
}
