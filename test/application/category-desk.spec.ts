import { expect } from 'chai';
import { CategoryInUse, CategoryNameTaken, CategoryNotFound, PreconditionFailed } from '../../src/domain/refusals.ts';
import { OPENING, Shop } from './shop.ts';

const at = OPENING;
const later = at + 1_000;

describe('The category desk', () => {
  let shop: Shop;

  beforeEach(() => {
    shop = new Shop();
  });

  describe('creates a category', () => {
    it('with a name, and perhaps a description', async () => {
      const plain = await shop.watch(() => shop.categories.create({ name: 'Dogs' }));
      const described = await shop.watch(() => shop.categories.create({ name: 'Cats', description: 'Who purr' }));

      expect(plain.answer).to.deep.equal({ id: 1, name: 'Dogs' });
      expect(plain.events).to.deep.equal([{ type: 'category.created', data: { id: 1, name: 'Dogs' }, at }]);
      const cats = { id: 2, name: 'Cats', description: 'Who purr' };
      expect(described.answer).to.deep.equal(cats);
      expect(described.events).to.deep.equal([{ type: 'category.created', data: cats, at }]);
      expect(await shop.categories.get(2)).to.deep.equal(cats);
    });

    it('never under a name that another category has, in whatever spelling', async () => {
      await shop.categories.create({ name: 'Café Straße' });

      for (const name of ['Café Straße', 'CAFÉ STRASSE', 'cafe\u0301 strasse', ' Café Straße ']) {
        const refusal = await shop.refuses(() => shop.categories.create({ name }), CategoryNameTaken);
        expect(refusal.faults.map(({ path }) => path)).to.deep.equal([['name']]);
      }
    });

    it('never under an identifier that another category had', async () => {
      await shop.categories.create({ name: 'Dogs' });
      await shop.categories.delete(1);

      expect((await shop.categories.create({ name: 'Dogs' })).id).to.equal(2);
    });
  });

  describe('changes a category', () => {
    beforeEach(async () => {
      await shop.categories.create({ name: 'Dogs', description: 'Who bark' });
      await shop.categories.create({ name: 'Cats' });
      shop.clock.set(later);
    });

    it('in name and description, with one event', async () => {
      const { answer, events } = await shop.watch(() =>
        shop.categories.change(1, { name: 'Hounds', description: 'Who howl' }),
      );

      const hounds = { id: 1, name: 'Hounds', description: 'Who howl' };
      expect(answer).to.deep.equal(hounds);
      expect(await shop.categories.get(1)).to.deep.equal(hounds);
      expect(events).to.deep.equal([{ type: 'category.updated', data: hounds, at: later }]);
    });

    it('by removing its description', async () => {
      const { answer, events } = await shop.watch(() => shop.categories.change(1, { description: null }));

      expect(answer).to.deep.equal({ id: 1, name: 'Dogs' });
      expect(await shop.categories.get(1)).to.deep.equal({ id: 1, name: 'Dogs' });
      expect(events).to.deep.equal([{ type: 'category.updated', data: { id: 1, name: 'Dogs' }, at: later }]);
    });

    it('not at all, if it already has the values', async () => {
      await shop.leaves(() => shop.categories.change(1, { name: 'Dogs', description: 'Who bark' }));
      await shop.leaves(() => shop.categories.change(1, { name: ' Dogs ' }));
      await shop.leaves(() => shop.categories.change(2, { description: null }));
      await shop.leaves(() => shop.categories.change(1, {}));
    });

    it('never to a name that another category has, in whatever case', async () => {
      const refusal = await shop.refuses(
        () => shop.categories.change(1, { name: 'cats', description: null }),
        CategoryNameTaken,
      );

      expect(refusal.message).to.include('"cats"');
    });

    it('only if the precondition holds, if there is one', async () => {
      const seen: unknown[] = [];
      const sees = (expected: boolean) => (category: unknown) => {
        seen.push(category);
        return expected;
      };

      await shop.refuses(
        () => shop.categories.change(1, { name: 'Hounds' }, { precondition: sees(false) }),
        PreconditionFailed,
      );
      await shop.categories.change(1, { name: 'Hounds' }, { precondition: sees(true) });

      const dogs = { id: 1, name: 'Dogs', description: 'Who bark' };
      expect(seen).to.deep.equal([dogs, dogs]);
    });

    it('never if it does not exist, whatever the precondition', async () => {
      const refusal = await shop.refuses(
        () => shop.categories.change(9, { name: 'Hounds' }, { precondition: () => false }),
        CategoryNotFound,
      );

      expect(refusal.message).to.include('no category 9');
    });
  });

  describe('deletes a category', () => {
    beforeEach(() => shop.categories.create({ name: 'Dogs', description: 'Who bark' }));

    it('and reports its last state in the event', async () => {
      const { events } = await shop.watch(() => shop.categories.delete(1));

      expect(events).to.deep.equal([
        { type: 'category.deleted', data: { id: 1, name: 'Dogs', description: 'Who bark' }, at },
      ]);
      await shop.refuses(() => shop.categories.get(1), CategoryNotFound);
    });

    it('never while a pet belongs to it', async () => {
      await shop.categories.create({ name: 'Cats' });
      await shop.pets.create({ name: 'Rex', categoryId: 1, status: 'sold' });

      const refusal = await shop.refuses(() => shop.categories.delete(1), CategoryInUse);
      expect(refusal.message).to.include('Category 1');

      await shop.pets.change(1, { categoryId: 2 });
      await shop.categories.delete(1);
      await shop.refuses(() => shop.categories.delete(2), CategoryInUse);
    });

    it('only if the precondition holds', async () => {
      await shop.refuses(() => shop.categories.delete(1, { precondition: () => false }), PreconditionFailed);

      await shop.categories.delete(1, { precondition: ({ name }) => name === 'Dogs' });

      await shop.refuses(() => shop.categories.get(1), CategoryNotFound);
    });

    it('only once', async () => {
      await shop.categories.delete(1);

      await shop.refuses(() => shop.categories.delete(1), CategoryNotFound);
    });
  });

  it('returns a category, or refuses an unknown one', async () => {
    await shop.categories.create({ name: 'Dogs' });

    const refusal = await shop.refuses(() => shop.categories.get(2), CategoryNotFound);

    expect(refusal.message).to.include('no category 2');
  });

  it('lists the categories that match, page by page, and counts them', async () => {
    for (const name of ['Cats', 'Dogs', 'camels']) await shop.categories.create({ name });

    const first = await shop.categories.list({ name: 'CA' }, { sort: { by: 'name' }, limit: 1 });
    const second = await shop.categories.list({ name: 'CA' }, { sort: { by: 'name' }, limit: 1, after: first.next });

    expect(first.rows.map(({ name }) => name)).to.deep.equal(['camels']);
    expect(second.rows.map(({ name }) => name)).to.deep.equal(['Cats']);
    expect(second.next).to.equal(undefined);
    expect(await shop.categories.count({ name: 'CA' })).to.equal(2);
  });
});
