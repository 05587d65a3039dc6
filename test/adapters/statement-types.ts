import type { MaybePromise, ReadSession, WriteSession } from '../../src/adapters/mikro-orm/session.ts';
import { SQLITE } from '../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { statement } from '../../src/adapters/mikro-orm/statement.ts';
import { TableText } from '../../src/adapters/mikro-orm/table-text.ts';

const STOCK = statement((db, { petId, least }: { petId: number; least: number }) =>
  db
    .selectFrom('pets')
    .select(['id as petId', 'categoryId', 'held'])
    .where('quantity', '>=', least)
    .where('id', '=', petId),
);
const HOLD = statement((db, { id }: { id: number }) => db.updateTable('pets').set({ held: 1 }).where('id', '=', id));

/** Checked by `tsc` and never run: each line after an expected error must not compile, or `npm run check` fails. */
export const mustNotCompile = {
  statements: () => {
    // @ts-expect-error there is no such table
    statement((db) => db.selectFrom('pet').select('id'));
    // @ts-expect-error it has another name in the database, and here that of the property
    statement((db) => db.selectFrom('pets').select('category_id'));
    // @ts-expect-error there is no such column
    statement((db) => db.selectFrom('pets').select('no_such'));
    // @ts-expect-error no pet has this status
    statement((db) => db.selectFrom('pets').select('id').where('status', '=', 'lost'));
    // @ts-expect-error identifiers are numbers
    statement((db, { id }: { id: string }) => db.selectFrom('pets').select('id').where('id', '=', id));
    // @ts-expect-error a flag is 0 or 1
    statement((db, { held }: { held: boolean }) => db.updateTable('pets').set({ held }));
    // @ts-expect-error a name is needed
    statement((db, { id }: { id: number }) => db.insertInto('categories').values({ id, nameKey: 'DOGS' }));
    // @ts-expect-error only descriptions may be missing
    statement((db) => db.updateTable('categories').set({ name: null }));
    // @ts-expect-error SQLite has no such table
    statement((db) => db.selectFrom('commit_markers').select('unit'));
  },
  runs: async (reads: ReadSession, writes: WriteSession) => {
    // @ts-expect-error a value is missing
    await reads.one(STOCK, { petId: 1 });
    // @ts-expect-error a value has the wrong type
    await reads.one(STOCK, { petId: '1', least: 1 });
    // @ts-expect-error there is no such value
    await reads.one(STOCK, { petId: 1, least: 1, most: 2 });
    const row = await reads.one(STOCK, { petId: 1, least: 1 });
    // @ts-expect-error there may be no row
    row.petId.toFixed();
    // @ts-expect-error it was not selected
    row?.quantity.toFixed();
    // @ts-expect-error it has the name that the query gave it
    row?.id.toFixed();
    // @ts-expect-error it is a number
    row?.categoryId.trim();
    // @ts-expect-error it changes rows and returns none
    await reads.one(HOLD, { id: 1 });
    // @ts-expect-error it returns rows and changes none
    await writes.run(STOCK, { petId: 1, least: 1 });
    // @ts-expect-error orders have no such identifier
    await writes.add('orders', HOLD, { petId: 1 });
  },
  lists: () => {
    // @ts-expect-error there is no such table
    new TableText('pet');
    const pets = new TableText('pets');
    // @ts-expect-error there is no such column
    pets.columns({ id: 'id', noSuch: 'noSuch' });
    // @ts-expect-error identifiers are numbers
    pets.equals('id', '1');
    // @ts-expect-error no pet has this status
    pets.isOneOf(SQLITE, 'status', ['lost']);
  },
};

/** The types of rows, declared a second time: `tsc` compares them. */
export const hasTypes = (reads: ReadSession) => {
  const rows: MaybePromise<{ petId: number; categoryId: number; held: 0 | 1 }[]> = reads.all(STOCK, {
    petId: 1,
    least: 1,
  });
  return rows;
};
