import { expect } from 'chai';
import { Category } from '../../../src/domain/category.ts';
import { CategoryNameTaken } from '../../../src/domain/refusals.ts';
import { failureOf } from '../../support/promises.ts';
import { freshStorage, type OpenStorage } from './storage-under-test.ts';

/** Pairs of spellings that are one name. */
const SAME = [
  ['Dogs', 'Dogs'],
  ['Dogs', 'dOGS'],
  ['straße', 'STRASSE'],
  ['Éclairs', 'e\u0301clairs'],
  ['ΟΔΟΣ', 'οδος'],
  ['ﬁsh', 'FISH'],
  ['Ǆ', 'ǆ'],
  ['𐐀', '𐐨'],
] as const;

/** Pairs that are two names, however alike they look or sort. */
const DIFFERENT = [
  ['Dogs', 'Dog'],
  ['Eclairs', 'Éclairs'],
  ['Dogs', 'Dоgs'],
  ['a_b', 'axb'],
  ['a%', 'a'],
  ['\u{1F600}', '\u{1F601}'],
  ['Ωmega', 'Omega'],
] as const;

export function describeNames(open: OpenStorage): void {
  describe('of categories keeps names unique, so it', () => {
    const storage = freshStorage(open);

    const add = (id: number, name: string) =>
      storage().work.write(({ categories }) => categories.add(Category.recall({ id, name })));
    const save = (id: number, name: string) =>
      storage().work.write(({ categories }) => categories.save(Category.recall({ id, name })));

    for (const [name, other] of SAME) {
      it(`takes ${name} and ${other} for one name`, async () => {
        await add(1, name);
        await add(2, 'Birds');

        expect(await failureOf(add(3, other)), 'adding').to.be.instanceOf(CategoryNameTaken);
        expect(await failureOf(save(2, other)), 'saving').to.be.instanceOf(CategoryNameTaken);
        expect(await storage().reader.countCategories({})).to.equal(2);
        expect(await storage().reader.category(2)).to.deep.equal({ id: 2, name: 'Birds' });
      });

      it(`lets ${name} be saved as ${other} by the category that has the name`, async () => {
        await add(1, name);

        await save(1, name);
        await save(1, other);

        const stored = await storage().reader.category(1);
        expect(stored?.name.normalize('NFC')).to.equal(other.normalize('NFC'));
      });
    }

    for (const [name, other] of DIFFERENT) {
      it(`takes ${name} and ${other} for two names`, async () => {
        await add(1, name);
        await add(2, other);

        expect(await storage().reader.countCategories({})).to.equal(2);
      });
    }

    it('says which name was taken', async () => {
      await add(1, 'Dogs');

      const refusal = await failureOf(add(2, 'DOGS'));

      expect(refusal).to.be.instanceOf(CategoryNameTaken).with.property('message').that.contains('"DOGS"');
    });

    it('notices a name that is taken twice in one unit of work', async () => {
      const unit = storage().work.write(async ({ categories }) => {
        await categories.add(Category.recall({ id: 1, name: 'Dogs' }));
        await categories.add(Category.recall({ id: 2, name: 'DOGS' }));
      });

      expect(await failureOf(unit)).to.be.instanceOf(CategoryNameTaken);
      expect(await storage().reader.countCategories({})).to.equal(0);
    });

    it('frees the name of what was renamed, removed or undone', async () => {
      await add(1, 'Dogs');
      await save(1, 'Hounds');
      await add(2, 'dogs');
      await storage().work.write(({ categories }) => categories.remove(2));
      await add(3, 'DOGS');
      await storage().work.write(async ({ categories }) => {
        await categories.remove(3);
        await categories.add(Category.recall({ id: 4, name: 'Dogs' }));
      });
      const undone = storage().work.write(async ({ categories }) => {
        await categories.add(Category.recall({ id: 5, name: 'Cats' }));
        throw new Error('undone');
      });
      await failureOf(undone);
      await add(5, 'Cats');

      const { rows } = await storage().reader.categories({}, { sort: 'id', limit: 9 });
      expect(rows.map(({ name }) => name)).to.deep.equal(['Hounds', 'Dogs', 'Cats']);
    });
  });
}
