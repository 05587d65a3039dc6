import { CategoryDesk } from 'petstore-service/application/category-desk';
import { OrderDesk } from 'petstore-service/application/order-desk';
import { PetCatalog } from 'petstore-service/application/pet-catalog';
import { StockRoom } from 'petstore-service/application/stock-room';
import { CategoryNameTaken, CategoryNotFound, OrderNotFound, PetNotFound } from 'petstore-service/domain/refusals';
import { nameKey } from 'petstore-service/domain/text';
import { Refused } from './failures.js';
import { ClientIds } from './ids.js';

/**
 * What the classic operations mean in this store. It keeps neither photos and tags, nor the word for the progress of an order, nor ids
 * that clients choose; those are in memory here.
 */
export class ClassicShop {
  #categories;
  #pets;
  #orders;
  #stock;
  #ids = { category: new ClientIds(), pet: new ClientIds(), order: new ClientIds() };
  /** By the store's ids. */
  #extras = new Map();
  #progress = new Map();
  #lastTurn = Promise.resolve();

  /** `container` is that of a petstore. */
  constructor(container) {
    this.#categories = container.get(CategoryDesk);
    this.#pets = container.get(PetCatalog);
    this.#orders = container.get(OrderDesk);
    this.#stock = container.get(StockRoom);
  }

  /** Creates a pet, or changes the pet that has its id. */
  addPet(pet) {
    return this.#inTurn(async () => {
      if (pet.id && (await found(this.#pets.get(this.#ids.pet.storeId(pet.id)), PetNotFound))) return this.#change(pet);
      const { name, status } = pet;
      const created = await this.#pets.create({ name, categoryId: await this.#categoryFor(pet.category), status });
      if (pet.id) this.#ids.pet.choose(pet.id, created.id);
      return this.#describe(created.id, pet);
    });
  }

  updatePet(pet) {
    return this.#inTurn(() => this.#change(pet));
  }

  async updatePetWithForm(id, change) {
    return this.#showPet(await this.#pets.change(this.#ids.pet.storeId(id), change));
  }

  async pet(id) {
    return this.#showPet(await this.#pets.get(this.#ids.pet.storeId(id)));
  }

  async deletePet(id) {
    const petId = this.#ids.pet.storeId(id);
    await this.#pets.delete(petId);
    this.#extras.delete(petId);
  }

  /** Every pet with one of the statuses and, if tags are given, one of those. */
  async petsWith(status, tags) {
    const pets = [];
    for (let after, more = true; more; more = after !== undefined) {
      const page = await this.#pets.list({ status }, { sort: { by: 'id' }, limit: 100, after });
      pets.push(...(await Promise.all(page.rows.map((pet) => this.#showPet(pet)))));
      after = page.next;
    }
    return tags ? pets.filter((pet) => pet.tags.some(({ name }) => tags.includes(name))) : pets;
  }

  /** How many pets there are of each status. */
  async inventory() {
    const { available, pending, sold } = await this.#stock.summary();
    return { available: available.pets, pending: pending.pets, sold: sold.pets };
  }

  /** Places an order, or changes the order that has its id. */
  placeOrder({ id, petId, quantity = 1, shipDate, status, complete }) {
    return this.#inTurn(async () => {
      const wish = {
        petId: this.#ids.pet.storeId(petId),
        quantity,
        shipDate,
        complete: complete || status === 'delivered' || undefined,
      };
      const known = id && (await found(this.#orders.get(this.#ids.order.storeId(id)), OrderNotFound));
      if (known && known.petId !== wish.petId) {
        throw new Refused(400, `Order ${id} is for pet ${this.#ids.pet.clientId(known.petId)}, not for pet ${petId}.`);
      }
      const order = await (known ? this.#orders.change(known.id, wish) : this.#orders.place(wish));
      if (id && !known) this.#ids.order.choose(id, order.id);
      this.#progress.set(order.id, { status, complete: order.complete });
      return this.#showOrder(order);
    });
  }

  async order(id) {
    return this.#showOrder(await this.#orders.get(this.#ids.order.storeId(id)));
  }

  async deleteOrder(id) {
    const orderId = this.#ids.order.storeId(id);
    await this.#orders.cancel(orderId);
    this.#progress.delete(orderId);
  }

  /** A message of the store, which says `pet 101`, as clients know the pet. */
  inClientIds(message) {
    return message.replaceAll(/\b(category|pet|order) (\d+)/gi, (_, kind, id) => {
      return `${kind} ${this.#ids[kind.toLowerCase()].clientId(Number(id))}`;
    });
  }

  /** One after the other: between the look for an id and its choice, no other request may choose it. */
  #inTurn(work) {
    const done = this.#lastTurn.then(work);
    this.#lastTurn = done.catch(() => undefined);
    return done;
  }

  async #change(pet) {
    const petId = this.#ids.pet.storeId(pet.id);
    const categoryId = pet.category && (await this.#categoryFor(pet.category));
    await this.#pets.change(petId, { name: pet.name, categoryId, status: pet.status });
    return this.#describe(petId, pet);
  }

  async #describe(petId, { photoUrls, tags }) {
    this.#extras.set(petId, { photoUrls, tags });
    return this.#showPet(await this.#pets.get(petId));
  }

  /** The category of that name, which is created if it does not exist; a category that is named by its id alone has to exist. */
  async #categoryFor({ id, name = id === undefined ? 'Pets' : undefined } = {}) {
    const ids = this.#ids.category;
    if (name === undefined) return (await this.#categories.get(ids.storeId(id))).id;
    const known = await this.#categoryNamed(name);
    if (known) return known.id;
    const isFree = id !== undefined && !(await found(this.#categories.get(ids.storeId(id)), CategoryNotFound));
    try {
      const created = await this.#categories.create({ name });
      if (isFree) ids.choose(id, created.id);
      return created.id;
    } catch (error) {
      // Another transport may have created it in between.
      const other = error instanceof CategoryNameTaken && (await this.#categoryNamed(name));
      if (!other) throw error;
      return other.id;
    }
  }

  async #categoryNamed(name) {
    const { rows } = await this.#categories.list({ name }, { sort: { by: 'name' }, limit: 1 });
    return rows.find((category) => nameKey(category.name) === nameKey(name));
  }

  async #showPet({ id, name, categoryId, status }) {
    const category = await this.#categories.get(categoryId);
    const { photoUrls = [], tags = [] } = this.#extras.get(id) ?? {};
    const shown = { id: this.#ids.category.clientId(category.id), name: category.name };
    return { id: this.#ids.pet.clientId(id), category: shown, name, photoUrls, tags, status };
  }

  #showOrder({ id, petId, quantity, shipDate, complete }) {
    const progress = this.#progress.get(id);
    return {
      id: this.#ids.order.clientId(id),
      petId: this.#ids.pet.clientId(petId),
      quantity,
      ...(shipDate !== undefined && { shipDate: new Date(shipDate).toISOString() }),
      status: progress?.status && progress.complete === complete ? progress.status : complete ? 'delivered' : 'placed',
      complete,
    };
  }
}

/** What a promise has, or `undefined` if it rejects with that error. */
async function found(promise, Missing) {
  return promise.catch((error) => {
    if (!(error instanceof Missing)) throw error;
  });
}
