import assert from 'node:assert/strict';
import type { Page, PageRequest, Position, Sort } from '../../application/ports/reader.ts';
import { compareText } from '../../domain/text.ts';
import { assertWhole } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { walk } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** A list of the reader with known rows, and the meaning of its filters and sorts. */
export interface ListUnderTest<View extends object, Filter extends object, Order extends Sort<string>> {
  /** Every row as the reader must show it, in no particular order. */
  readonly rows: readonly View[];
  readonly sorts: readonly Order[];
  readonly filters: readonly Filter[];
  /** Positions between two rows, each for one sort. */
  readonly between: readonly (readonly [Order, Position])[];
  fill(storage: OpenedStorage): Promise<void>;
  read(storage: OpenedStorage, filter: Filter, page: PageRequest<Order>): Promise<Page<View>>;
  count(storage: OpenedStorage, filter: Filter, most?: number): Promise<number>;
  matches(row: View, filter: Filter): boolean;
  /** The position of a row in a list that is sorted by the field. */
  positionOf(row: View, field: string): Position;
  /** Adds rows that come first, last and in the middle of every order, where possible. */
  addMore(storage: OpenedStorage): Promise<void>;
  remove(storage: OpenedStorage, id: number): Promise<unknown>;
  /** Changes a row so that it becomes the first or last by the field that is not the identifier, ascending. */
  move(storage: OpenedStorage, id: number, end: 'first' | 'last'): Promise<unknown>;
}

/** The contract of every list. */
export function listChecks<View extends object, Filter extends object, Order extends Sort<string>>(
  storage: OpenedStorage,
  list: ListUnderTest<View, Filter, Order>,
  { describe, it, beforeEach }: TestFunctions,
): void {
  const { rows, sorts, filters } = list;
  const idOf = (row: View) => list.positionOf(row, 'id').id;
  const expected = (filter: Filter, sort: Order): View[] => {
    const order = orderOf(list, sort);
    return rows.filter((row) => list.matches(row, filter)).sort(order);
  };
  beforeEach(() => list.fill(storage));

  describe('without changes', () => {
    it('counts the rows that match, for every filter', async () => {
      for (const filter of filters) {
        const matching = rows.filter((row) => list.matches(row, filter)).length;
        assert.equal(await list.count(storage, filter), matching, show(filter));
        for (const most of [1, 3, 100_001]) {
          const text = `${show(filter)}, counted up to ${most}`;
          assert.equal(await list.count(storage, filter, most), Math.min(matching, most), text);
        }
      }
    });

    for (const sort of sorts) {
      it(`sorted by ${titleOf(sort)} has the rows that match, in order, for every filter`, async () => {
        for (const filter of filters) {
          const page = await list.read(storage, filter, { sort, limit: 100 });
          assert.deepEqual(page.rows, expected(filter, sort), show(filter));
          assert.equal(page.next, undefined, show(filter));
        }
      });

      it(`sorted by ${titleOf(sort)} page by page is the whole list, with a next page exactly where rows follow`, async () => {
        for (const [filter, limit] of filters.flatMap((filter) =>
          [1, 2, 3, 7].map((limit) => [filter, limit] as const),
        )) {
          const whole = expected(filter, sort);
          let after: Position | undefined;
          for (let from = 0; from === 0 || after; from += limit) {
            const page: Page<View> = await list.read(storage, filter, { sort, limit, after });
            const last = whole[from + limit - 1];
            const next = last && from + limit < whole.length ? list.positionOf(last, sort.by) : undefined;
            const place = `${show(filter)}, ${limit} from ${from}`;
            assert.deepEqual(page.rows, whole.slice(from, from + limit), place);
            assert.deepEqual(page.next, next, place);
            after = page.next;
          }
        }
      });

      it(`sorted by ${titleOf(sort)} ends without a next page when the rows exactly fill the last one`, async () => {
        for (const limit of [rows.length, rows.length + 1]) {
          const page = await list.read(storage, filters[0] as Filter, { sort, limit });
          assert.equal(page.rows.length, rows.length);
          assert.equal(page.next, undefined);
        }
        const almost = await list.read(storage, filters[0] as Filter, { sort, limit: rows.length - 1 });
        assert.notEqual(almost.next, undefined);
      });
    }

    for (const [sort, after] of list.between) {
      it(`sorted by ${titleOf(sort)} continues between two rows, after ${JSON.stringify(after)}`, async () => {
        const place = list.positionOf.bind(list);
        const precedes = comparePositions(sort);
        const whole = expected(filters[0] as Filter, sort);
        const rest = whole.filter((row) => precedes(after, place(row, sort.by)) < 0);

        assert.deepEqual((await list.read(storage, filters[0] as Filter, { sort, limit: 100, after })).rows, rest);
        assertWhole(rest.length, 1, whole.length - 1);
      });
    }
  });

  describe('while rows are added and deleted', () => {
    for (const sort of sorts) {
      it(`sorted by ${titleOf(sort)} still has every remaining row once, in order`, async () => {
        const staying = new Set(rows.map(idOf));
        const seen: View[] = [];
        let after: Position | undefined;
        do {
          const page: Page<View> = await list.read(storage, filters[0] as Filter, { sort, limit: 3, after });
          seen.push(...page.rows);
          after = page.next;

          const edge = page.rows.at(-1);
          const seenIds = new Set(seen.map(idOf));
          const ahead = [...staying].find((id) => !seenIds.has(id));
          for (const id of [edge && idOf(edge), seen.length < 10 ? ahead : undefined]) {
            if (id === undefined) continue;
            await list.remove(storage, id);
            staying.delete(id);
          }
          if (seen.length < 10) await list.addMore(storage);
        } while (after);

        const ids = seen.map(idOf);
        assert.deepEqual(ids, [...new Set(ids)]);
        assert.deepEqual(
          [...staying].filter((id) => !ids.includes(id)),
          [],
          'remaining rows were left out',
        );
        assert.deepEqual(seen, seen.toSorted(orderOf(list, sort)));
      });
    }

    for (const sort of sorts.filter((sort) => !['id', 'petId'].includes(sort.by))) {
      it(`sorted by ${titleOf(sort)} has every row that keeps its place once, while others move`, async () => {
        const [behind, ahead] = sort.descending ? (['last', 'first'] as const) : (['first', 'last'] as const);
        const order = expected(filters[0] as Filter, sort).map(idOf);
        const moved = new Set<number>();
        const seen: number[] = [];
        let after: Position | undefined;
        do {
          const page: Page<View> = await list.read(storage, filters[0] as Filter, { sort, limit: 3, after });
          seen.push(...page.rows.map(idOf));
          after = page.next;

          // The last row of the page moves ahead and is seen again; one that was still to come moves behind and is missed.
          const coming = order.find((id) => !seen.includes(id) && !moved.has(id));
          for (const [id, end] of [
            [after && seen.at(-1), ahead],
            [after && coming, behind],
          ] as const) {
            if (id === undefined || moved.size > 7) continue;
            await list.move(storage, id, end);
            moved.add(id);
          }
        } while (after);

        assert.deepEqual(
          seen.filter((id) => !moved.has(id)),
          order.filter((id) => !moved.has(id)),
        );
        assert.ok(moved.size > 4);
      });
    }

    it('is empty, without a next page, when no row is left', async () => {
      for (const row of rows) await list.remove(storage, idOf(row));

      for (const sort of sorts) {
        assert.deepEqual(await walk((page) => list.read(storage, filters[0] as Filter, page), sort, 1), []);
      }
      assert.equal(await list.count(storage, filters[0] as Filter), 0);
    });
  });
}

function orderOf<View extends object, Filter extends object, Order extends Sort<string>>(
  list: ListUnderTest<View, Filter, Order>,
  sort: Order,
): (a: View, b: View) => number {
  const compare = comparePositions(sort);
  const field = sort.by;
  return (a, b) => compare(list.positionOf(a, field), list.positionOf(b, field));
}

/** Rows without a value come last in both directions; the identifier breaks ties in the direction of the sort. */
function comparePositions({ descending }: Sort<string>): (a: Position, b: Position) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if ((a.key === null) !== (b.key === null)) return a.key === null ? 1 : -1;
    const byKey =
      typeof a.key === 'string' ? compareText(a.key, String(b.key)) : Math.sign(Number(a.key) - Number(b.key));
    return sign * (byKey || Math.sign(a.id - b.id));
  };
}

/** In the title of a check: `-name` for the reverse of `name`. */
function titleOf({ by, descending }: Sort<string>): string {
  return descending ? `-${by}` : by;
}

function show(filter: object): string {
  const text = JSON.stringify(filter, (_, value: unknown) => value ?? 'undefined');
  return text === '{}' ? 'no filter' : text;
}
