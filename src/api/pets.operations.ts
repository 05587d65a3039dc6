import type { PetFilter, PetView, StorePetView } from '../application/ports/reader.ts';
import { type Deprecation, listOperation, type Operation, operation } from './operation.ts';
import { pageParameters, pageResponse } from './paging.ts';
import {
  newPet,
  newPets,
  pet,
  petExpansion,
  petPatch,
  petReplacement,
  petSort,
  pets,
  storePet,
} from './schemas/pet-schemas.ts';
import { id, LARGEST_PAGE, MOST_VALUES, namePrefix, petStatus } from './schemas/schema-values.ts';
import { assertSameAsPath } from './validation.ts';

const filters = {
  status: {
    description: 'Only pets with one of these statuses, comma-separated or repeated.',
    schema: { type: 'array', items: petStatus, maxItems: MOST_VALUES },
    example: ['available'],
  },
  categoryId: { description: 'Only pets of this category.', schema: id },
  name: { description: 'Only pets whose name begins with this text, regardless of case.', schema: namePrefix },
  id: {
    description: 'Only these pets, comma-separated or repeated.',
    schema: { type: 'array', items: id, maxItems: MOST_VALUES },
    example: [1, 2, 3],
  },
} as const;

const expand = {
  description: 'The resources to show together with the pet, comma-separated or repeated.',
  schema: { type: 'array', items: petExpansion, maxItems: MOST_VALUES },
  example: ['category', 'inventory'],
  scopes: { inventory: 'store:read' },
} as const;

const links = {
  getStorePet: 'The pet, with its category and its inventory entry on request.',
  updatePet: 'Changes the pet.',
  deletePet: 'Deletes the pet.',
  getInventoryItem: 'The stock of the pet.',
  setStock: 'Sets the stock count of the pet.',
  placeOrder: 'Places an order for the pet: its `id` is the `petId` of the order.',
} as const;

export function petOperations(getPetDeprecation: Omit<Deprecation, 'successor'>): Operation[] {
  return [
    listOperation({
      operationId: 'listPets',
      path: '/pets',
      tag: 'Pets',
      scope: 'pets:read',
      summary: 'List pets',
      description: 'Returns a page of pets. All filters must match.',
      query: { ...filters, ...pageParameters(petSort) },
      response: { description: 'A page of pets.', schema: pets },
      refusals: ['invalid_cursor'],
      handle: (call, { petCatalog }) => {
        const { status, categoryId, name, id: ids, sort = 'id', limit, cursor } = call.query;
        const filter: PetFilter = { status, categoryId, name, ids };
        return pageResponse(call, {
          of: 'pets',
          filter: { ...filter },
          sort,
          limit,
          cursor,
          read: (page) => petCatalog.list(filter, page),
          count: (most) => petCatalog.count(filter, most),
        });
      },
      show: petToJson,
    }),
    operation({
      operationId: 'createPet',
      method: 'post',
      path: '/pets',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Create a pet',
      description:
        'Creates a pet and its inventory entry with one unit. A pet created as `pending` is taken off sale; a pet created as `sold` has no units.',
      body: { description: 'The pet to create.', schema: newPet },
      success: 201,
      response: { description: 'The created pet.', schema: pet, links },
      refusals: ['unknown_category'],
      handle: ({ body, options }, { petCatalog }) => petCatalog.create(body, options),
      show: petToJson,
      location: ({ id: petId }) => `/store/pets/${petId}`,
    }),
    operation({
      operationId: 'createPets',
      method: 'post',
      path: '/pets/batch',
      tag: 'Pets',
      scope: 'pets:write',
      stability: 'beta',
      summary: 'Create many pets',
      description: 'Creates all of the pets or none. The details of an error point to every bad item, as in `/3/name`.',
      body: { description: 'The pets to create.', schema: newPets, large: true },
      success: 201,
      response: { description: 'The created pets, in the order of the request.', schema: pets },
      refusals: ['unknown_category'],
      handle: ({ body, options }, { petCatalog }) => petCatalog.createAll(body, options),
      show: (created: readonly PetView[]) => created.map(petToJson),
      location: (created) =>
        created.length <= LARGEST_PAGE
          ? `/pets?id=${created.map((one) => one.id).join(',')}&limit=${LARGEST_PAGE}`
          : `/pets?sort=-id&limit=${LARGEST_PAGE}`,
    }),
    operation({
      operationId: 'getPet',
      method: 'get',
      path: '/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:read',
      deprecation: { ...getPetDeprecation, successor: '/store/pets/{petId}' },
      summary: 'Get a pet (deprecated)',
      description: 'Returns one pet. getStorePet replaces this operation, which stops working at its sunset date.',
      conditional: true,
      success: 200,
      response: { description: 'The pet.', schema: pet },
      refusals: ['pet_not_found'],
      handle: ({ path: { petId } }, { petCatalog }) => petCatalog.get(petId),
      show: petToJson,
    }),
    operation({
      operationId: 'getStorePet',
      method: 'get',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:read',
      summary: 'Get a pet',
      description: 'Returns one pet and, with `expand`, its category and its inventory entry.',
      query: { expand },
      conditional: true,
      success: 200,
      response: { description: 'The pet.', schema: storePet },
      refusals: ['pet_not_found'],
      handle: ({ path: { petId }, query: { expand: wanted = [] } }, { petCatalog }) =>
        wanted.length === 0
          ? petCatalog.get(petId)
          : petCatalog.getWith(petId, {
              category: wanted.includes('category'),
              inventory: wanted.includes('inventory'),
            }),
      show: (view: StorePetView) => ({ ...petToJson(view), category: view.category, inventory: view.inventory }),
    }),
    operation({
      operationId: 'replacePet',
      method: 'put',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Replace a pet',
      description: 'Replaces every field of the pet; a `status` that is absent stays unchanged.',
      body: { description: 'The new state of the pet.', schema: petReplacement },
      conditional: true,
      success: 200,
      response: { description: 'The changed pet.', schema: pet },
      refusals: ['pet_not_found', 'unknown_category', 'invalid_status_transition', 'status_managed_by_orders'],
      handle: async ({ path: { petId }, body: { id: given, ...change }, options }, { petCatalog }) => {
        assertSameAsPath('id', given, petId);
        return petCatalog.change(petId, change, options);
      },
      show: petToJson,
    }),
    operation({
      operationId: 'updatePet',
      method: 'patch',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Change a pet',
      description:
        'Changes the fields that the merge patch (RFC 7396) contains. The status `pending` takes the pet off sale, `available` puts it back on sale (a sold pet gets one unit), and `sold` writes off its stock.',
      body: { description: 'The fields to change.', schema: petPatch },
      conditional: true,
      success: 200,
      response: { description: 'The changed pet.', schema: pet },
      refusals: ['pet_not_found', 'unknown_category', 'invalid_status_transition', 'status_managed_by_orders'],
      handle: ({ path: { petId }, body, options }, { petCatalog }) => petCatalog.change(petId, body, options),
      show: petToJson,
    }),
    operation({
      operationId: 'deletePet',
      method: 'delete',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Delete a pet',
      description: 'Deletes a pet that no order refers to, with its inventory entry and its stock movements.',
      conditional: true,
      success: 204,
      response: { description: 'The pet was deleted.' },
      refusals: ['pet_not_found', 'pet_has_orders'],
      handle: ({ path: { petId }, options }, { petCatalog }) => petCatalog.delete(petId, options),
      show: petToJson,
    }),
  ];
}

export function petToJson({ id, name, categoryId, status }: PetView) {
  return { id, name, categoryId, status };
}
