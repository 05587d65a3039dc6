import { expect } from 'chai';
import {
  InvalidStatusTransition,
  PetHasOrders,
  PetNotFound,
  PreconditionFailed,
  StatusManagedByOrders,
  UnknownCategory,
} from '../../src/domain/refusals.ts';
import { OPENING, Shop } from './shop.ts';

const at = OPENING;
const later = at + 1_000;

describe('The pet catalogue', () => {
  let shop: Shop;

  beforeEach(async () => {
    shop = new Shop();
    await shop.categories.create({ name: 'Dogs' });
    await shop.categories.create({ name: 'Cats' });
  });

  describe('creates a pet', () => {
    it('with one unit in stock, available', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.pets.create({ name: 'Rex', categoryId: 1 }));

      const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
      expect(answer).to.deep.equal(rex);
      expect(await shop.pets.get(1)).to.deep.equal(rex);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 1, reserved: 0, status: 'available' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'opened', quantity: 1, reserved: 0, at }]);
      expect(events).to.deep.equal([{ type: 'pet.created', data: rex, at }]);
    });

    it('pending: one unit, held', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.pets.create({ name: 'Rex', categoryId: 1, status: 'pending' }),
      );

      expect(answer.status).to.equal('pending');
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 1, reserved: 0, status: 'pending' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'opened', quantity: 1, reserved: 0, at }]);
      expect(events).to.deep.equal([{ type: 'pet.created', data: answer, at }]);
    });

    it('sold: no unit', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.pets.create({ name: 'Rex', categoryId: 1, status: 'sold' }),
      );

      expect(answer.status).to.equal('sold');
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 0, reserved: 0, status: 'sold' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'opened', quantity: 0, reserved: 0, at }]);
      expect(events).to.deep.equal([{ type: 'pet.created', data: answer, at }]);
    });

    it('never under an identifier that another pet had', async () => {
      await shop.pets.create({ name: 'Rex', categoryId: 1 });
      await shop.pets.delete(1);

      const { id } = await shop.pets.create({ name: 'Max', categoryId: 1 });

      expect(id).to.equal(2);
    });

    it('only into a category that exists', async () => {
      const refusal = await shop.refuses(() => shop.pets.create({ name: 'Rex', categoryId: 9 }), UnknownCategory);

      expect(refusal.message).to.include('no category 9');
      expect(refusal.faults).to.deep.equal([{ path: ['categoryId'], message: 'There is no category 9.' }]);
    });
  });

  describe('creates many pets at once', () => {
    it('in their order, each with its movement and its event', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.pets.createAll([
          { name: 'Rex', categoryId: 1 },
          { name: 'Tom', categoryId: 2, status: 'sold' },
          { name: 'Rex', categoryId: 1, status: 'pending' },
        ]),
      );

      expect(answer).to.deep.equal([
        { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
        { id: 2, name: 'Tom', categoryId: 2, status: 'sold' },
        { id: 3, name: 'Rex', categoryId: 1, status: 'pending' },
      ]);
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'opened', quantity: 1, reserved: 0, at },
        { petId: 2, kind: 'opened', quantity: 0, reserved: 0, at },
        { petId: 3, kind: 'opened', quantity: 1, reserved: 0, at },
      ]);
      expect(events).to.deep.equal(answer.map((data) => ({ type: 'pet.created', data, at })));
    });

    it('completely or not at all, and names every item whose category does not exist', async () => {
      const refusal = await shop.refuses(
        () =>
          shop.pets.createAll([
            { name: 'Rex', categoryId: 1 },
            { name: 'Nemo', categoryId: 9 },
            { name: 'Tom', categoryId: 2 },
            { name: 'Kaa', categoryId: 8 },
            { name: 'Dory', categoryId: 9 },
          ]),
        UnknownCategory,
      );

      expect(refusal.message).to.include('no categories 9, 8');
      expect(refusal.faults).to.deep.equal([
        { path: [1, 'categoryId'], message: 'There is no category 9.' },
        { path: [3, 'categoryId'], message: 'There is no category 8.' },
        { path: [4, 'categoryId'], message: 'There is no category 9.' },
      ]);
    });

    it('not at all, if the list is empty', async () => {
      expect(await shop.leaves(() => shop.pets.createAll([]))).to.deep.equal([]);
    });
  });

  describe('changes a pet', () => {
    beforeEach(async () => {
      await shop.pets.create({ name: 'Rex', categoryId: 1 });
      shop.clock.set(later);
    });

    it('in name and category, with one event', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.pets.change(1, { name: 'Max', categoryId: 2 }));

      const max = { id: 1, name: 'Max', categoryId: 2, status: 'available' };
      expect(answer).to.deep.equal(max);
      expect(await shop.pets.get(1)).to.deep.equal(max);
      expect(movements).to.deep.equal([]);
      expect(events).to.deep.equal([{ type: 'pet.updated', data: max, at: later }]);
    });

    it('not at all, if it already has the values', async () => {
      const same = { name: 'Rex', categoryId: 1, status: 'available' } as const;

      expect(await shop.leaves(() => shop.pets.change(1, same))).to.deep.equal({ id: 1, ...same });
      expect(await shop.leaves(() => shop.pets.change(1, { name: ' Rex ' }))).to.deep.equal({ id: 1, ...same });
      expect(await shop.leaves(() => shop.pets.change(1, {}))).to.deep.equal({ id: 1, ...same });
    });

    it('to pending: it is held, and no stock moves', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.pets.change(1, { status: 'pending' }));

      expect(answer.status).to.equal('pending');
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 1, reserved: 0, status: 'pending' });
      expect(movements).to.deep.equal([]);
      expect(events).to.deep.equal([{ type: 'pet.status_changed', data: answer, at: later }]);
    });

    it('to available again: the hold is released, and no stock moves', async () => {
      await shop.pets.change(1, { status: 'pending' });

      const { answer, movements, events } = await shop.watch(() => shop.pets.change(1, { status: 'available' }));

      expect(answer.status).to.equal('available');
      expect(movements).to.deep.equal([]);
      expect(events).to.deep.equal([{ type: 'pet.status_changed', data: answer, at: later }]);
    });

    it('to sold: every unit is written off', async () => {
      await shop.stock.count(1, 5);

      const { answer, movements, events } = await shop.watch(() => shop.pets.change(1, { status: 'sold' }));

      expect(answer.status).to.equal('sold');
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 0, reserved: 0, status: 'sold' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'written_off', quantity: -5, reserved: 0, at: later }]);
      const stock = { petId: 1, quantity: 0, reserved: 0, status: 'sold' };
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: answer, at: later },
        { type: 'inventory.written_off', data: stock, at: later },
      ]);
    });

    it('from sold to available: one unit is restocked', async () => {
      await shop.pets.change(1, { status: 'sold' });

      const { answer, movements, events } = await shop.watch(() => shop.pets.change(1, { status: 'available' }));

      expect(answer.status).to.equal('available');
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 1, reserved: 0, status: 'available' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'restocked', quantity: 1, reserved: 0, at: later }]);
      const stock = { petId: 1, quantity: 1, reserved: 0, status: 'available' };
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: answer, at: later },
        { type: 'inventory.restocked', data: stock, at: later },
      ]);
    });

    it('in status and name at once, and reports both, the status first', async () => {
      const { answer, events } = await shop.watch(() => shop.pets.change(1, { name: 'Max', status: 'pending' }));

      expect(answer).to.deep.equal({ id: 1, name: 'Max', categoryId: 1, status: 'pending' });
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: answer, at: later },
        { type: 'pet.updated', data: answer, at: later },
      ]);
    });

    it('never from sold straight to pending', async () => {
      await shop.pets.change(1, { status: 'sold' });

      const refusal = await shop.refuses(() => shop.pets.change(1, { status: 'pending' }), InvalidStatusTransition);

      expect(refusal.message).to.include('Pet 1 cannot go from sold to pending');
    });

    it('never into a category that does not exist', async () => {
      const refusal = await shop.refuses(() => shop.pets.change(1, { categoryId: 9 }), UnknownCategory);

      expect(refusal.faults).to.deep.equal([{ path: ['categoryId'], message: 'There is no category 9.' }]);
    });

    it('completely or not at all', async () => {
      await shop.orders.place({ petId: 1, quantity: 1 });

      await shop.refuses(
        () => shop.pets.change(1, { name: 'Max', categoryId: 2, status: 'sold' }),
        StatusManagedByOrders,
      );
      await shop.refuses(() => shop.pets.change(1, { name: 'Max', categoryId: 9, status: 'pending' }), UnknownCategory);
    });

    it('only if the precondition holds, if there is one', async () => {
      const seen: unknown[] = [];
      const sees = (expected: boolean) => (pet: unknown) => {
        seen.push(pet);
        return expected;
      };

      await shop.refuses(() => shop.pets.change(1, { name: 'Max' }, { precondition: sees(false) }), PreconditionFailed);
      await shop.pets.change(1, { name: 'Max' }, { precondition: sees(true) });

      const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
      expect(seen).to.deep.equal([rex, rex]);
      expect((await shop.pets.get(1)).name).to.equal('Max');
    });

    it('and checks the precondition before any other rule', async () => {
      await shop.refuses(
        () => shop.pets.change(1, { categoryId: 9 }, { precondition: () => false }),
        PreconditionFailed,
      );
    });

    it('never if it does not exist, whatever the precondition', async () => {
      const refusal = await shop.refuses(
        () => shop.pets.change(9, { name: 'Max' }, { precondition: () => false }),
        PetNotFound,
      );

      expect(refusal.message).to.include('no pet 9');
    });
  });

  describe('deletes a pet', () => {
    beforeEach(() => shop.pets.create({ name: 'Rex', categoryId: 1, status: 'pending' }));

    it('with its stock and ledger', async () => {
      const { movements, events } = await shop.watch(() => shop.pets.delete(1));

      expect(movements).to.deep.equal([]);
      expect(events).to.deep.equal([
        { type: 'pet.deleted', data: { id: 1, name: 'Rex', categoryId: 1, status: 'pending' }, at },
      ]);
      await shop.refuses(() => shop.pets.get(1), PetNotFound);
      await shop.refuses(() => shop.stock.get(1), PetNotFound);
      await shop.refuses(() => shop.stock.movements(1, { limit: 1 }), PetNotFound);
      expect((await shop.picture()).stock).to.deep.equal([]);
    });

    it('never while an order refers to it, open or complete', async () => {
      await shop.pets.change(1, { status: 'available' });
      const { id } = await shop.orders.place({ petId: 1, quantity: 1 });

      const open = await shop.refuses(() => shop.pets.delete(1), PetHasOrders);
      await shop.orders.change(id, { complete: true });
      const complete = await shop.refuses(() => shop.pets.delete(1), PetHasOrders);

      expect(open.message).to.include('Pet 1');
      expect(complete.message).to.include('Pet 1');
    });

    it('only if the precondition holds', async () => {
      await shop.refuses(() => shop.pets.delete(1, { precondition: () => false }), PreconditionFailed);

      await shop.pets.delete(1, { precondition: ({ status }) => status === 'pending' });

      await shop.refuses(() => shop.pets.get(1), PetNotFound);
    });

    it('only once', async () => {
      await shop.pets.delete(1);

      await shop.refuses(() => shop.pets.delete(1), PetNotFound);
    });
  });

  describe('returns', () => {
    beforeEach(() =>
      shop.pets.createAll([
        { name: 'Rex', categoryId: 1 },
        { name: 'Tom', categoryId: 2 },
        { name: 'Roy', categoryId: 1, status: 'sold' },
      ]),
    );

    it('a pet, or refuses an unknown one', async () => {
      expect(await shop.pets.get(2)).to.deep.equal({ id: 2, name: 'Tom', categoryId: 2, status: 'available' });

      const refusal = await shop.refuses(() => shop.pets.get(9), PetNotFound);

      expect(refusal.message).to.include('no pet 9');
    });

    it('a pet with the requested expansions', async () => {
      const pet = { id: 2, name: 'Tom', categoryId: 2, status: 'available' };
      const category = { id: 2, name: 'Cats' };
      const inventory = { petId: 2, quantity: 1, reserved: 0, status: 'available' };

      expect(await shop.pets.getWith(2, { category: false, inventory: false })).to.deep.equal(pet);
      expect(await shop.pets.getWith(2, { category: true, inventory: false })).to.deep.equal({ ...pet, category });
      expect(await shop.pets.getWith(2, { category: true, inventory: true })).to.deep.equal({
        ...pet,
        category,
        inventory,
      });
      await shop.refuses(() => shop.pets.getWith(9, { category: true, inventory: true }), PetNotFound);
    });

    it('the pets that match, page by page, and their number', async () => {
      const filter = { name: 'r' };

      const first = await shop.pets.list(filter, { sort: { by: 'name' }, limit: 1 });
      const second = await shop.pets.list(filter, { sort: { by: 'name' }, limit: 1, after: first.next });

      expect(first.rows.map(({ name }) => name)).to.deep.equal(['Rex']);
      expect(second.rows.map(({ name }) => name)).to.deep.equal(['Roy']);
      expect(second.next).to.equal(undefined);
      expect(await shop.pets.count(filter)).to.equal(2);
    });
  });
});
