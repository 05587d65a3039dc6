import { InventoryItem } from '../domain/inventory-item.ts';
import { Pet } from '../domain/pet.ts';
import type { PetStatus } from '../domain/pet-status.ts';
import { PetHasOrders, PetNotFound, UnknownCategory } from '../domain/refusals.ts';
import { assertHolds, type ChangeOptions, type Precondition } from './change-options.ts';
import type { IdempotentUnitOfWork } from './idempotency.ts';
import type { Clock } from './ports/clock.ts';
import type { Page, PageRequest, PetFilter, PetSort, PetView, Reader, StorePetView } from './ports/reader.ts';
import type { WriteScope } from './ports/unit-of-work.ts';
import { petView, saveStock } from './stock-keeping.ts';

export interface PetInput {
  readonly name: string;
  readonly categoryId: number;
  /** The default is `available`. */
  readonly status?: PetStatus | undefined;
}

/** The fields to change; an absent field stays unchanged. */
export type PetChange = { readonly [Field in keyof PetInput]?: PetInput[Field] | undefined };

/** The use cases of pets. */
export class PetCatalog {
  readonly #work: IdempotentUnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: IdempotentUnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** @throws {UnknownCategory} */
  create(input: PetInput, options: ChangeOptions<PetView> = {}): Promise<PetView> {
    return this.#work.write(async (scope) => {
      if (!(await scope.categories.exists(input.categoryId))) throw new UnknownCategory([input]);
      return this.#create(scope, input);
    }, options);
  }

  /** All of them or none; every item with an unknown category is named. @throws {UnknownCategory} */
  createAll(inputs: readonly PetInput[], options: ChangeOptions<PetView[]> = {}): Promise<PetView[]> {
    return this.#work.write(async (scope) => {
      const known = new Map<number, boolean>();
      for (const categoryId of [...new Set(inputs.map((input) => input.categoryId))].sort((a, b) => a - b)) {
        known.set(categoryId, await scope.categories.exists(categoryId));
      }
      const missing = inputs
        .map(({ categoryId }, item) => ({ categoryId, item }))
        .filter(({ categoryId }) => !known.get(categoryId));
      if (missing.length > 0) throw new UnknownCategory(missing);

      const pets: PetView[] = [];
      for (const input of inputs) pets.push(await this.#create(scope, input));
      return pets;
    }, options);
  }

  /**
   * @throws {PetNotFound | UnknownCategory | InvalidStatusTransition | StatusManagedByOrders | PreconditionFailed}
   */
  change(id: number, change: PetChange, options: ChangeOptions<PetView> = {}): Promise<PetView> {
    return this.#work.write(async (scope) => {
      const { pet, item } = await this.#find(scope, id, options.precondition);

      const moved = change.categoryId !== undefined && pet.moveTo(change.categoryId);
      if (moved && !(await scope.categories.exists(pet.categoryId))) throw new UnknownCategory([pet]);
      const renamed = change.name !== undefined && pet.rename(change.name);
      const before = item.status;
      const movement = change.status && item.setStatus(change.status);

      const at = this.#clock.now();
      if (moved || renamed) await scope.pets.save(pet);
      if (item.status !== before) {
        await saveStock(scope, item, { before, movements: movement ? [movement] : [], at });
      }
      if (moved || renamed) await scope.outbox.append({ type: 'pet.updated', data: petView(pet, item), at });
      return petView(pet, item);
    }, options);
  }

  /** Deletes the pet, its inventory entry and its ledger, and returns its last state. @throws {PetNotFound | PetHasOrders | PreconditionFailed} */
  delete(id: number, options: ChangeOptions<PetView> = {}): Promise<PetView> {
    return this.#work.write(async (scope) => {
      const { pet, item } = await this.#find(scope, id, options.precondition);
      if (await scope.orders.existFor(id)) throw new PetHasOrders(id);

      await scope.pets.delete(id);
      await scope.outbox.append({ type: 'pet.deleted', data: petView(pet, item), at: this.#clock.now() });
      return petView(pet, item);
    }, options);
  }

  /** @throws {PetNotFound} */
  async get(id: number): Promise<PetView> {
    const pet = await this.#reader.pet(id);
    if (!pet) throw new PetNotFound(id);
    return pet;
  }

  /** The pet with its category and its inventory entry, if they are requested. @throws {PetNotFound} */
  async getWith(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView> {
    const pet = await this.#reader.storePet(id, expand);
    if (!pet) throw new PetNotFound(id);
    return pet;
  }

  list(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>> {
    return this.#reader.pets(filter, page);
  }

  /** Counts up to `most`. */
  count(filter: PetFilter, most?: number): Promise<number> {
    return this.#reader.countPets(filter, most);
  }

  async #create({ pets, ledger, outbox }: WriteScope, { name, categoryId, status = 'available' }: PetInput) {
    const at = this.#clock.now();
    const pet = Pet.create({ id: await pets.nextId(), name, categoryId });
    const { item, opened } = InventoryItem.open(pet.id, status);
    await pets.add(pet, item);
    await ledger.append({ ...opened, at });
    await outbox.append({ type: 'pet.created', data: petView(pet, item), at });
    return petView(pet, item);
  }

  async #find({ pets, inventory }: WriteScope, id: number, precondition: Precondition<PetView> | undefined) {
    const item = await inventory.lock(id);
    const pet = item && (await pets.find(id));
    if (!item || !pet) throw new PetNotFound(id);
    assertHolds(precondition, petView(pet, item));
    return { pet, item };
  }
}
