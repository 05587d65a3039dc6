import { MikroORM } from '@mikro-orm/sqlite';
import { expect } from 'chai';
import { SQLITE } from '../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { connectionTo } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { CompiledStatements, postgresqlStatement, statement } from '../../src/adapters/mikro-orm/statement.ts';

const STOCK = statement((db, { petId, least }: { petId: number; least: number }) =>
  db
    .selectFrom('pets')
    .select(['id as petId', 'categoryId', 'held'])
    .where('quantity', '>=', least)
    .where('id', '=', petId),
);
const HOLD = statement((db, { id }: { id: number }) => db.updateTable('pets').set({ held: 1 }).where('id', '=', id));
const MARKS = postgresqlStatement((db) => db.selectFrom('commit_markers').select('unit'));

describe('A statement', () => {
  const compiled = () => {
    const { em } = new MikroORM(connectionTo(':memory:'));
    return CompiledStatements.forSqlite(em.getKysely({ columnNamingStrategy: 'property' }), SQLITE);
  };

  it('is compiled to one text, with places for its values and the names of properties for its columns', () => {
    expect(compiled().of(STOCK).sql).to.equal(
      'select "id" as "petId", "category_id" as "categoryId", "held" from "pets" where "quantity" >= ? and "id" = ?',
    );
  });

  it('gets its values by name, in the order of its text', () => {
    expect(compiled().bind(STOCK, { petId: 7, least: 3 }).values).to.deep.equal([3, 7]);
    expect(compiled().bind(HOLD, { id: 7 }).values).to.deep.equal([1, 7]);
  });

  it('fails where it was not compiled for the database', () => {
    expect(() => compiled().of(MARKS)).to.throw('for another database');
  });
});
