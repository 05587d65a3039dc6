import { expect } from 'chai';
import { toCloudEvent } from '../../src/api/cloud-events.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { StoreFromEvents } from '../support/store-from-events.ts';

const category = { id: 1, name: 'Dogs' };
const pet = { id: 1, name: 'Rex', categoryId: 1, status: 'available' } as const;
const order = { id: 1, petId: 1, quantity: 2, complete: false };

const HISTORY = [
  { type: 'category.created', data: category },
  { type: 'category.updated', data: { ...category, description: 'They bark.' } },
  { type: 'pet.created', data: pet },
  { type: 'inventory.counted', data: { petId: 1, quantity: 5, reserved: 0, status: 'available' } },
  { type: 'order.placed', data: order },
  { type: 'pet.status_changed', data: { ...pet, status: 'pending' } },
  { type: 'order.updated', data: { ...order, quantity: 5 } },
  { type: 'pet.status_changed', data: { ...pet, status: 'sold' } },
  { type: 'order.completed', data: { ...order, quantity: 5, complete: true } },
  { type: 'pet.status_changed', data: pet },
  { type: 'inventory.restocked', data: { petId: 1, quantity: 1, reserved: 0, status: 'available' } },
  { type: 'pet.status_changed', data: { ...pet, status: 'pending' } },
  { type: 'order.placed', data: { ...order, id: 2, quantity: 1 } },
  { type: 'pet.status_changed', data: pet },
  { type: 'order.cancelled', data: { ...order, id: 2, quantity: 1 } },
].map((event) => ({ ...event, at: 0 }) as DomainEvent);

const textsOf = (events: readonly DomainEvent[]) =>
  events.map((event, index) => JSON.stringify(toCloudEvent({ ...event, position: index + 1 }, 'urn:petstore:store')));

function storeOf(texts: readonly string[]): StoreFromEvents {
  const store = new StoreFromEvents();
  for (const text of texts) store.receive(text);
  return store;
}

describe('A store that is computed from events', () => {
  it('has every resource, and no fault, also when events are received again', () => {
    const texts = textsOf(HISTORY);
    const store = storeOf([...texts.slice(0, 8), ...texts.slice(3)]);

    expect(store).to.deep.include({ faults: [], duplicates: 5, events: HISTORY.length });
    expect(store.contents).to.deep.equal({
      categories: [{ ...category, description: 'They bark.' }],
      pets: [pet],
      orders: [{ ...order, quantity: 5, complete: true }],
      inventory: [{ petId: 1, quantity: 1, reserved: 0, status: 'available' }],
    });
  });

  it('shows an event that is missing, that has a second id, or that changed', () => {
    const whole = JSON.stringify(storeOf(textsOf(HISTORY)).contents);
    HISTORY.forEach((event, index) => {
      const missing = storeOf(textsOf(HISTORY.toSpliced(index, 1)));
      const repeated = storeOf(textsOf(HISTORY.toSpliced(index, 0, event)));
      const texts = textsOf(HISTORY);
      const changed = storeOf([...texts, (texts[index] as string).replace('1970', '1971')]);

      const isVisible = missing.faults.length > 0 || JSON.stringify(missing.contents) !== whole;
      expect(isVisible, `without event ${index + 1}`).to.equal(true);
      expect(repeated.faults, `event ${index + 1} twice`).to.not.deep.equal([]);
      expect(changed.faults, `event ${index + 1} changed`).to.have.length(1);
    });
  });
});
