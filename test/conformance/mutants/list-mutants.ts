import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import type {
  Page,
  PageRequest,
  PetFilter,
  PetSort,
  PetView,
  Position,
} from '../../../src/application/ports/reader.ts';
import { nameKey } from '../../../src/domain/text.ts';
import { inMemory, type Mutant } from './mutant-storage.ts';

type Read = (page: PageRequest<PetSort>) => Promise<Page<PetView>>;

/** A storage with another list of pets, made from the correct one. */
function listing(list: (read: Read, page: PageRequest<PetSort>) => Promise<Page<PetView>>) {
  return inMemory({
    reader: (store) =>
      new (class extends InMemoryReader {
        override pets(filter: PetFilter, page: PageRequest<PetSort>) {
          return list((other) => super.pets(filter, other), page);
        }
      })(store),
  });
}

/** Faults in lists and their pages. */
export const LIST_MUTANTS: Readonly<Record<string, Mutant>> = {
  'pages by offset, which skip rows when others are deleted': {
    caughtBy:
      'a storage Reader lists pets, and the list while rows are added and deleted sorted by id still has every remaining row once, in order',
    storage: (() => {
      const offsets = new Map<string, number>();
      const placeOf = ({ key, id }: Position) => `${key} ${id}`;
      return listing(async (read, { sort, limit, after }) => {
        const from = after ? (offsets.get(placeOf(after)) ?? 0) : 0;
        const { rows } = await read({ sort, limit: 10_000 });
        const shown = rows.slice(from, from + limit);
        const last = shown.at(-1);
        if (!last || from + limit >= rows.length) return { rows: shown };
        const next = { key: sort.by === 'name' ? nameKey(last.name) : last.id, id: last.id };
        offsets.set(placeOf(next), from + limit);
        return { rows: shown, next };
      });
    })(),
  },
  'pages that repeat the last row of the page before': {
    caughtBy:
      'a storage Reader lists pets, and the list without changes sorted by name page by page is the whole list, with a next page exactly where rows follow',
    storage: listing((read, { after, ...page }) =>
      read({
        ...page,
        after: after && { ...after, id: !page.sort.descending && page.sort.by === 'name' ? after.id - 1 : after.id },
      }),
    ),
  },
  'an unstable order of equal names': {
    caughtBy:
      'a storage Reader lists pets, and the list without changes sorted by name has the rows that match, in order, for every filter',
    storage: listing(async (read, page) => {
      const { rows, next } = await read(page);
      if (page.sort.by !== 'name') return { rows, next };
      const ties = Map.groupBy(rows, ({ name }) => nameKey(name));
      return { rows: [...ties.values()].flatMap((tied) => tied.toReversed()), next };
    }),
  },
  'a next page without rows': {
    caughtBy:
      'a storage Reader lists pets, and the list without changes sorted by id ends without a next page when the rows exactly fill the last one',
    storage: listing(async (read, page) => {
      const { rows, next } = await read(page);
      const last = rows.at(-1);
      if (next || !last || rows.length < page.limit) return { rows, next };
      return { rows, next: { key: page.sort.by === 'name' ? nameKey(last.name) : last.id, id: last.id } };
    }),
  },
  'names in the order of their UTF-16 units': {
    caughtBy: 'a storage Reader orders and finds text by code points, not by UTF-16 units',
    storage: listing(async (read, { sort, limit, after }) => {
      if (sort.by !== 'name' || sort.descending) return read({ sort, limit, after });
      const { rows } = await read({ sort, limit: 10_000, after });
      const keyed = rows.map((row) => ({ row, key: nameKey(row.name) }));
      return { rows: keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row) };
    }),
  },
  'a page that loses its place when the row of its position has moved': {
    caughtBy:
      'a storage Reader lists pets, and the list while rows are added and deleted sorted by name has every row that keeps its place once, while others move',
    storage: listing(async (read, { sort, limit, after }) => {
      if (!after) return read({ sort, limit });
      const { rows } = await read({ sort, limit: 10_000 });
      const begin = rows.find(({ id }) => id === after.id);
      return read({
        sort,
        limit,
        after: begin && sort.by === 'name' && !sort.descending ? { key: nameKey(begin.name), id: begin.id } : after,
      });
    }),
  },
};
