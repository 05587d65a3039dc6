import type { createPetstore } from 'petstore-service';
import { CategoryDesk } from 'petstore-service/application/category-desk';
import { OrderDesk } from 'petstore-service/application/order-desk';
import { PetCatalog } from 'petstore-service/application/pet-catalog';
import { StockRoom } from 'petstore-service/application/stock-room';
import type { PetStatus } from 'petstore-service/domain/pet-status';
import { PetNotFound } from 'petstore-service/domain/refusals';
import { nameKey } from 'petstore-service/domain/text';
import type { OrderView, PetView, Position } from 'petstore-service/ports/reader';

export interface ClassicCategory {
  readonly id?: number | undefined;
  readonly name?: string | undefined;
}
export interface ClassicPet {
  readonly id?: number | undefined;
  readonly category?: ClassicCategory | undefined;
  readonly name: string;
  readonly photoUrls: readonly string[];
  readonly tags?: readonly ClassicCategory[] | undefined;
  readonly status?: PetStatus | undefined;
}
export interface ClassicOrder {
  readonly id?: number | undefined;
  readonly petId: number;
  readonly quantity?: number | undefined;
  readonly shipDate?: string | undefined;
  readonly status?: 'placed' | 'approved' | 'delivered' | undefined;
  readonly complete?: boolean | undefined;
}
type Container = Awaited<ReturnType<typeof createPetstore>>['container'];

/**
 * What the classic petstore can do, done at the desks of this store. Three things have no place there and are kept in
 * memory beside: photos and tags, the word for an order's progress, and the identifiers that clients choose by themselves.
 */
export class ClassicShop {
  readonly #categories: CategoryDesk;
  readonly #pets: PetCatalog;
  readonly #orders: OrderDesk;
  readonly #stock: StockRoom;
  readonly #petIds = new ChosenIds();
  readonly #orderIds = new ChosenIds();
  readonly #extras = new Map<number, Pick<ClassicPet, 'photoUrls' | 'tags'>>();
  readonly #progress = new Map<number, Pick<ClassicOrder, 'status' | 'complete'>>();

  constructor(container: Container) {
    this.#categories = container.get(CategoryDesk);
    this.#pets = container.get(PetCatalog);
    this.#orders = container.get(OrderDesk);
    this.#stock = container.get(StockRoom);
  }

  /** A pet with an identifier that is known takes the place of that one, as in the classic petstore. */
  async addPet(pet: ClassicPet): Promise<ClassicPet> {
    if (pet.id && (await this.#knows(pet.id))) return this.updatePet({ ...pet, id: pet.id });
    const { name, status } = pet;
    const added = await this.#pets.welcome({ name, categoryId: await this.#categoryFor(pet.category), status });
    this.#petIds.choose(pet.id, added.id);
    this.#extras.set(added.id, pet);
    return this.#showPet(added);
  }

  async updatePet({ id = 0, category, ...pet }: ClassicPet): Promise<ClassicPet> {
    const petId = this.#petIds.own(id);
    const categoryId = category && (await this.#categoryFor(category));
    const changed = await this.#pets.change(petId, { name: pet.name, categoryId, status: pet.status });
    this.#extras.set(petId, pet);
    return this.#showPet(changed);
  }

  async updatePetWithForm(id: number, change: { name?: string | undefined; status?: PetStatus | undefined }) {
    await this.#pets.change(this.#petIds.own(id), change);
  }

  async pet(id: number): Promise<ClassicPet> {
    return this.#showPet(await this.#pets.get(this.#petIds.own(id)));
  }

  async deletePet(id: number): Promise<void> {
    const petId = this.#petIds.own(id);
    await this.#pets.letGo(petId);
    this.#extras.delete(petId);
    this.#petIds.forget(petId);
  }

  async petsWith(status: readonly PetStatus[], tags?: readonly string[]): Promise<ClassicPet[]> {
    const found: ClassicPet[] = [];
    for (let after: Position | undefined, more = true; more; ) {
      const page = await this.#pets.list({ status }, { sort: { by: 'id' }, limit: 100, after });
      found.push(...(await Promise.all(page.rows.map((pet) => this.#showPet(pet)))));
      after = page.next;
      more = after !== undefined;
    }
    return tags ? found.filter((pet) => pet.tags?.some(({ name }) => tags.includes(`${name}`))) : found;
  }

  /** How many pets there are of each status. */
  async inventory(): Promise<Record<PetStatus, number>> {
    const { available, pending, sold } = await this.#stock.summary();
    return { available: available.pets, pending: pending.pets, sold: sold.pets };
  }

  /** @throws {UnknownPet | PetNotAvailable | InsufficientStock} */
  async placeOrder({ id, petId, quantity = 1, shipDate, status, complete }: ClassicOrder): Promise<ClassicOrder> {
    const order = await this.#orders.place({
      petId: this.#petIds.own(petId),
      quantity: quantity || 1,
      shipDate: shipDate === undefined ? undefined : Date.parse(shipDate),
      complete: complete || status === 'delivered',
    });
    this.#orderIds.choose(id, order.id);
    this.#progress.set(order.id, { status, complete: order.complete });
    return this.#showOrder(order);
  }

  async order(id: number): Promise<ClassicOrder> {
    return this.#showOrder(await this.#orders.get(this.#orderIds.own(id)));
  }

  async deleteOrder(id: number): Promise<void> {
    const orderId = this.#orderIds.own(id);
    await this.#orders.cancel(orderId);
    this.#progress.delete(orderId);
    this.#orderIds.forget(orderId);
  }

  async #knows(id: number): Promise<boolean> {
    return this.#pets.get(this.#petIds.own(id)).then(
      () => true,
      (error: unknown) => {
        if (error instanceof PetNotFound) return false;
        throw error;
      },
    );
  }

  /** The category of that name, which is put up if it is not there; a category by its identifier alone has to be there. */
  async #categoryFor({ id = 0, name = id === 0 ? 'Pets' : undefined }: ClassicCategory = {}): Promise<number> {
    if (name === undefined) return (await this.#categories.get(id)).id;
    const { rows } = await this.#categories.list({ name }, { sort: { by: 'name' }, limit: 1 });
    const [first] = rows;
    if (first && nameKey(first.name) === nameKey(name)) return first.id;
    return (await this.#categories.open({ name })).id;
  }

  async #showPet({ id, name, categoryId, status }: PetView): Promise<ClassicPet> {
    const category = await this.#categories.get(categoryId);
    const { photoUrls = [], tags = [] } = this.#extras.get(id) ?? {};
    const shown = { id: category.id, name: category.name };
    return { id: this.#petIds.chosen(id), category: shown, name, photoUrls, tags, status };
  }

  #showOrder({ id, petId, quantity, shipDate, complete }: OrderView): ClassicOrder {
    const said = this.#progress.get(id);
    return {
      id: this.#orderIds.chosen(id),
      petId: this.#petIds.chosen(petId),
      quantity,
      ...(shipDate !== undefined && { shipDate: new Date(shipDate).toISOString() }),
      status: said?.status && said.complete === complete ? said.status : complete ? 'delivered' : 'placed',
      complete,
    };
  }
}

/** Clients of the classic petstore give things an identifier; this store gives its own. */
class ChosenIds {
  readonly #own = new Map<number, number>();
  readonly #chosen = new Map<number, number>();

  choose(chosen: number | undefined, own: number): void {
    if (!chosen || chosen === own) return;
    this.#own.set(chosen, own);
    this.#chosen.set(own, chosen);
  }

  own(chosen: number): number {
    return this.#own.get(chosen) ?? chosen;
  }

  chosen(own: number): number {
    return this.#chosen.get(own) ?? own;
  }

  forget(own: number): void {
    this.#own.delete(this.chosen(own));
    this.#chosen.delete(own);
  }
}
