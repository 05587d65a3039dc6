import { expect } from 'chai';
import {
  CategoryInUse,
  CategoryNameTaken,
  CategoryNotFound,
  DeliveryNotFound,
  DomainError,
  InsufficientStock,
  InvalidStatusTransition,
  OrderAlreadyComplete,
  OrderNotFound,
  PetHasOrders,
  PetNotAvailable,
  PetNotFound,
  PreconditionFailed,
  type Refusal,
  StatusManagedByOrders,
  StockBelowReserved,
  UnknownCategory,
  UnknownPet,
  WebhookNotFound,
} from '../../src/domain/refusals.ts';

/** One of each, with the facts that its message has to carry. A new code does not compile until it has a row. */
const refusals: Record<Refusal, { refusal: DomainError; facts: readonly string[] }> = {
  category_not_found: { refusal: new CategoryNotFound(41), facts: ['category 41'] },
  pet_not_found: { refusal: new PetNotFound(42), facts: ['pet 42'] },
  order_not_found: { refusal: new OrderNotFound(43), facts: ['order 43'] },
  webhook_not_found: { refusal: new WebhookNotFound(54), facts: ['webhook 54'] },
  delivery_not_found: { refusal: new DeliveryNotFound(55, 56), facts: ['Webhook 55', 'delivery 56'] },
  unknown_category: { refusal: new UnknownCategory([{ categoryId: 44 }]), facts: ['category 44'] },
  unknown_pet: { refusal: new UnknownPet(45), facts: ['pet 45'] },
  category_name_taken: {
    refusal: new CategoryNameTaken('Big "Cats"'),
    facts: ['"Big \\"Cats\\""', 'case, character width'],
  },
  category_in_use: { refusal: new CategoryInUse(46), facts: ['Category 46'] },
  pet_has_orders: { refusal: new PetHasOrders(47), facts: ['Pet 47'] },
  pet_not_available: { refusal: new PetNotAvailable(48, 'pending'), facts: ['Pet 48', 'pending'] },
  insufficient_stock: { refusal: new InsufficientStock(49, 12, 5), facts: ['Pet 49', '12', '5 free'] },
  stock_below_reserved: { refusal: new StockBelowReserved(50, 3, 8), facts: ['pet 50', 'cannot be 3', 'reserve 8'] },
  order_already_complete: { refusal: new OrderAlreadyComplete(51), facts: ['Order 51', 'complete'] },
  invalid_status_transition: {
    refusal: new InvalidStatusTransition(52, 'sold', 'pending'),
    facts: ['Pet 52', 'from sold to pending'],
  },
  status_managed_by_orders: {
    refusal: new StatusManagedByOrders(53, 'sold', 6),
    facts: ['Pet 53', 'sold', 'reserve 6 of its units'],
  },
  precondition_failed: { refusal: new PreconditionFailed(), facts: ['changed since it was read'] },
};

describe('A refusal', () => {
  for (const [code, { refusal, facts }] of Object.entries(refusals)) {
    it(`${code} has its code and its facts`, () => {
      expect(refusal).to.be.instanceOf(DomainError);
      expect(refusal.code).to.equal(code);
      expect(refusal.name).to.equal(refusal.constructor.name);
      for (const fact of facts) expect(refusal.message).to.include(fact);
    });
  }

  it('of an unknown category refers to its field', () => {
    expect(new UnknownCategory([{ categoryId: 9 }]).faults).to.deep.equal([
      { path: ['categoryId'], message: 'There is no category 9.' },
    ]);
  });

  it('of a batch refers to every item with an unknown category, and names each category once', () => {
    const refusal = new UnknownCategory([
      { item: 0, categoryId: 9 },
      { item: 2, categoryId: 8 },
      { item: 5, categoryId: 9 },
    ]);

    expect(refusal.message).to.include('There are no categories 9, 8:');
    expect(refusal.faults).to.deep.equal([
      { path: [0, 'categoryId'], message: 'There is no category 9.' },
      { path: [2, 'categoryId'], message: 'There is no category 8.' },
      { path: [5, 'categoryId'], message: 'There is no category 9.' },
    ]);
  });

  it('of a long batch has a short message and all faults', () => {
    const refusal = new UnknownCategory(Array.from({ length: 300 }, (_, item) => ({ item, categoryId: 1000 + item })));

    expect(refusal.message).to.include('1008, 1009 and others:').and.not.to.include('1010');
    expect(refusal.faults).to.have.length(300);
  });

  it('of an unknown pet or a taken name refers to its field', () => {
    expect(new UnknownPet(9).faults).to.deep.equal([{ path: ['petId'], message: 'There is no pet 9.' }]);
    expect(new CategoryNameTaken('Cats').faults.map(({ path }) => path)).to.deep.equal([['name']]);
  });

  it('because of the state of the store refers to no field', () => {
    expect(new InsufficientStock(7, 5, 2).faults).to.deep.equal([]);
    expect(new PreconditionFailed().faults).to.deep.equal([]);
  });
});
