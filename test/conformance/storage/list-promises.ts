import { expect } from 'chai';
import type { Page, PageRequest, Position } from '../../../src/application/ports/reader.ts';
import { compareText } from '../../../src/domain/text.ts';
import { type OpenStorage, type StorageUnderTest, walk } from './storage-under-test.ts';

/** A list of the reader, with rows that are known, and what it means that they match and how they are ordered. */
export interface ListUnderTest<View extends object, Filter extends object, Sort extends string> {
  /** Every row, as it shall be shown, in no order. */
  readonly rows: readonly View[];
  readonly sorts: readonly Sort[];
  readonly filters: readonly Filter[];
  /** Positions between rows, each for a sort. */
  readonly between: readonly (readonly [Sort, Position])[];
  fill(storage: StorageUnderTest): Promise<void>;
  read(storage: StorageUnderTest, filter: Filter, page: PageRequest<Sort>): Promise<Page<View>>;
  count(storage: StorageUnderTest, filter: Filter): Promise<number>;
  matches(row: View, filter: Filter): boolean;
  /** Where a row stands in a list that is sorted by a field (a sort without its `-`). */
  positionOf(row: View, field: string): Position;
  /** Adds rows that come first, last and in the middle of every order, as far as that can be. */
  addMore(storage: StorageUnderTest): Promise<void>;
  remove(storage: StorageUnderTest, id: number): Promise<void>;
}

/** The promises that every list keeps. */
export function describeList<View extends object, Filter extends object, Sort extends string>(
  open: OpenStorage,
  list: ListUnderTest<View, Filter, Sort>,
): void {
  const { rows, sorts, filters } = list;
  let storage: StorageUnderTest;
  const read = (filter: Filter, page: PageRequest<Sort>) => list.read(storage, filter, page);
  const idOf = (row: View) => list.positionOf(row, 'id').id;
  const expected = (filter: Filter, sort: Sort): View[] => {
    const order = orderOf(list, sort);
    return rows.filter((row) => list.matches(row, filter)).sort(order);
  };

  describe('as it stands', () => {
    before(async () => {
      storage = await open();
      await list.fill(storage);
    });
    after(() => storage?.dispose());

    for (const filter of filters) {
      it(`has the rows that match ${show(filter)}, in every order, and counts them`, async () => {
        for (const sort of sorts) {
          const page = await read(filter, { sort, limit: 100 });
          expect(page.rows, sort).to.deep.equal(expected(filter, sort));
          expect(page.next, sort).to.equal(undefined);
        }
        expect(await list.count(storage, filter)).to.equal(rows.filter((row) => list.matches(row, filter)).length);
      });
    }

    for (const sort of sorts) {
      it(`sorted by ${sort} page by page is the whole list, with a next page exactly where rows follow`, async () => {
        for (const [filter, limit] of filters.flatMap((filter) =>
          [1, 2, 3, 7].map((limit) => [filter, limit] as const),
        )) {
          const whole = expected(filter, sort);
          let after: Position | undefined;
          for (let from = 0; from === 0 || after; from += limit) {
            const page: Page<View> = await read(filter, { sort, limit, after });
            const last = whole[from + limit - 1];
            const next = last && from + limit < whole.length ? list.positionOf(last, fieldOf(sort)) : undefined;
            const place = `${show(filter)}, ${limit} from ${from}`;
            expect(page.rows, place).to.deep.equal(whole.slice(from, from + limit));
            expect(page.next, place).to.deep.equal(next);
            after = page.next;
          }
        }
      });

      it(`sorted by ${sort} ends without a next page when the rows just fill the last one`, async () => {
        for (const limit of [rows.length, rows.length + 1]) {
          const page = await read(filters[0] as Filter, { sort, limit });
          expect(page.rows).to.have.length(rows.length);
          expect(page.next).to.equal(undefined);
        }
        const almost = await read(filters[0] as Filter, { sort, limit: rows.length - 1 });
        expect(almost.next).not.to.equal(undefined);
      });
    }

    for (const [sort, after] of list.between) {
      it(`sorted by ${sort} goes on from between two rows, after ${JSON.stringify(after)}`, async () => {
        const place = list.positionOf.bind(list);
        const precedes = comparePositions(sort);
        const whole = expected(filters[0] as Filter, sort);
        const rest = whole.filter((row) => precedes(after, place(row, fieldOf(sort))) < 0);

        expect((await read(filters[0] as Filter, { sort, limit: 100, after })).rows).to.deep.equal(rest);
        expect(rest).to.have.length.within(1, whole.length - 1);
      });
    }
  });

  describe('while rows come and go', () => {
    beforeEach(async () => {
      storage = await open();
      await list.fill(storage);
    });
    afterEach(() => storage?.dispose());

    for (const sort of sorts) {
      it(`sorted by ${sort} still has every row that stays, once, and in order`, async () => {
        const staying = new Set(rows.map(idOf));
        const seen: View[] = [];
        let after: Position | undefined;
        do {
          const page: Page<View> = await read(filters[0] as Filter, { sort, limit: 3, after });
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
        expect(ids).to.deep.equal([...new Set(ids)]);
        expect(ids).to.include.members([...staying]);
        expect(seen).to.deep.equal(seen.toSorted(orderOf(list, sort)));
      });
    }

    it('is empty, without a next page, when nothing is left', async () => {
      for (const row of rows) await list.remove(storage, idOf(row));

      for (const sort of sorts) {
        expect(await walk((page) => read(filters[0] as Filter, page), sort, 1)).to.deep.equal([]);
      }
      expect(await list.count(storage, filters[0] as Filter)).to.equal(0);
    });
  });
}

function orderOf<View extends object, Filter extends object, Sort extends string>(
  list: ListUnderTest<View, Filter, Sort>,
  sort: Sort,
): (a: View, b: View) => number {
  const compare = comparePositions(sort);
  const field = fieldOf(sort);
  return (a, b) => compare(list.positionOf(a, field), list.positionOf(b, field));
}

/** What has no value comes last in both directions; ties follow by identifier, in the direction of the sort. */
function comparePositions(sort: string): (a: Position, b: Position) => number {
  const sign = sort.startsWith('-') ? -1 : 1;
  return (a, b) => {
    if ((a.key === null) !== (b.key === null)) return a.key === null ? 1 : -1;
    const byKey =
      typeof a.key === 'string' ? compareText(a.key, String(b.key)) : Math.sign(Number(a.key) - Number(b.key));
    return sign * (byKey || Math.sign(a.id - b.id));
  };
}

function fieldOf(sort: string): string {
  return sort.replace(/^-/, '');
}

function show(filter: object): string {
  const text = JSON.stringify(filter);
  return text === '{}' ? 'no filter' : text;
}
