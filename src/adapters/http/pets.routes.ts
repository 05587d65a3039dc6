import type { PetFilter, PetView } from '../../application/ports/reader.ts';
import { bodyOf, type Deprecation, type Operation, operation } from './operation.ts';
import { created, gone, ok } from './protocol/message.ts';
import { listed, pageParameters } from './protocol/paging.ts';
import { sameAsPath } from './protocol/same-as-path.ts';
import {
  id,
  type NewPet,
  namePrefix,
  newPet,
  newPets,
  type PetPatch,
  type PetReplacement,
  pet,
  petPatch,
  petReplacement,
  petStatus,
  pets,
  storePet,
} from './schemas.ts';

const SORTS = ['id', '-id', 'name', '-name'] as const;

const filters = {
  status: {
    description: 'Only pets with one of these statuses, comma-separated or repeated.',
    schema: { type: 'array', items: petStatus },
    example: ['available'],
  },
  categoryId: { description: 'Only pets of this category.', schema: id },
  name: { description: 'Only pets whose name begins with this, in any case, width or ligature.', schema: namePrefix },
  id: {
    description: 'Only these pets, comma-separated or repeated.',
    schema: { type: 'array', items: id, maxItems: 100 },
    example: [1, 2, 3],
  },
} as const;

const expand = {
  description: 'What to show along with the pet, comma-separated or repeated.',
  schema: { type: 'array', items: { type: 'string', enum: ['category', 'inventory'] } },
  example: ['category', 'inventory'],
} as const;

const links = {
  getStorePet: {
    operationId: 'getStorePet',
    description: 'The pet, with its category and its inventory entry if asked for.',
    parameters: { petId: '$response.body#/id' },
  },
  updatePet: {
    operationId: 'updatePet',
    description: 'Change the pet.',
    parameters: { petId: '$response.body#/id' },
  },
  deletePet: {
    operationId: 'deletePet',
    description: 'Delete the pet.',
    parameters: { petId: '$response.body#/id' },
  },
  getInventoryItem: {
    operationId: 'getInventoryItem',
    description: 'What is in stock of the pet.',
    parameters: { petId: '$response.body#/id' },
  },
  setStock: {
    operationId: 'setStock',
    description: 'Set the stock count of the pet.',
    parameters: { petId: '$response.body#/id' },
  },
  placeOrder: {
    operationId: 'placeOrder',
    description: 'Order the pet.',
    requestBody: { petId: '$response.body#/id' },
  },
} as const;

export function petRoutes(getPetDeprecation: Omit<Deprecation, 'successor'>): Operation[] {
  return [
    operation({
      operationId: 'listPets',
      method: 'get',
      path: '/pets',
      tag: 'Pets',
      scope: 'pets:read',
      summary: 'List pets',
      query: { ...filters, ...pageParameters(SORTS) },
      paged: true,
      success: 200,
      answer: { description: 'A page of pets.', schema: pets },
      refusals: ['invalid_cursor'],
      handle: (call, { petCatalog }) => {
        const { status, categoryId, name, id: ids, sort = 'id', limit, cursor } = call.query;
        const filter: PetFilter = { status, categoryId, name, ids };
        return listed(call, {
          of: 'pets',
          filter: { ...filter },
          sort,
          limit,
          cursor,
          read: (page) => petCatalog.list(filter, page),
          count: () => petCatalog.count(filter),
          show: showPet,
        });
      },
    }),
    operation({
      operationId: 'createPet',
      method: 'post',
      path: '/pets',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Take in a pet',
      description:
        'Opens its inventory entry too, with one unit: held when the pet comes as `pending`, and empty when it comes as `sold`.',
      body: bodyOf<NewPet>({ description: 'The pet.', schema: newPet }),
      success: 201,
      answer: { description: 'The pet, as it was taken in.', schema: pet, links },
      refusals: ['unknown_category'],
      handle: async ({ body }, { petCatalog }) => {
        const view = await petCatalog.welcome(body);
        return created(showPet(view), `/store/pets/${view.id}`);
      },
    }),
    operation({
      operationId: 'createPets',
      method: 'post',
      path: '/pets/batch',
      tag: 'Pets',
      scope: 'pets:write',
      stability: 'beta',
      summary: 'Take in many pets at once',
      description: 'All of them or none. The details of an error point at every bad item, as in `/3/name`.',
      body: bodyOf<NewPet[]>({ description: 'The pets.', schema: newPets, large: true }),
      success: 201,
      answer: { description: 'The pets, in the order in which they were given.', schema: pets },
      refusals: ['unknown_category'],
      handle: async ({ body }, { petCatalog }) => {
        const views = await petCatalog.welcomeAll(body);
        const ids = views.map((view) => view.id).join(',');
        const location = views.length <= 100 ? `/pets?id=${ids}&limit=100` : '/pets?sort=-id&limit=100';
        return created(views.map(showPet), location, false);
      },
    }),
    operation({
      operationId: 'getPet',
      method: 'get',
      path: '/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:read',
      deprecation: { ...getPetDeprecation, successor: '/store/pets/{petId}' },
      summary: 'Get a pet',
      description: 'Use getStorePet instead.',
      conditional: true,
      success: 200,
      answer: { description: 'The pet.', schema: pet },
      refusals: ['pet_not_found'],
      handle: async ({ path: { petId } }, { petCatalog }) => ok(showPet(await petCatalog.get(petId))),
    }),
    operation({
      operationId: 'getStorePet',
      method: 'get',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:read',
      summary: 'Get a pet, with what belongs to it if asked for',
      query: { expand },
      conditional: true,
      success: 200,
      answer: { description: 'The pet.', schema: storePet },
      refusals: ['pet_not_found'],
      handle: async ({ path: { petId }, query }, { petCatalog }) => {
        const wanted = query.expand;
        if (!wanted) return ok(showPet(await petCatalog.get(petId)));
        return ok(
          await petCatalog.getWith(petId, {
            category: wanted.includes('category'),
            inventory: wanted.includes('inventory'),
          }),
        );
      },
    }),
    operation({
      operationId: 'replacePet',
      method: 'put',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Replace a pet',
      description: 'A status that is left out stays as it is.',
      body: bodyOf<PetReplacement>({ description: 'The pet.', schema: petReplacement }),
      conditional: true,
      success: 200,
      answer: { description: 'The pet, as it is now.', schema: pet },
      refusals: ['pet_not_found', 'unknown_category', 'invalid_status_transition', 'status_managed_by_orders'],
      handle: async ({ path: { petId }, body, expectation }, { petCatalog }) => {
        sameAsPath('id', body.id, petId);
        const { name, categoryId, status } = body;
        return ok(showPet(await petCatalog.change(petId, { name, categoryId, status }, expectation(showPet))));
      },
    }),
    operation({
      operationId: 'updatePet',
      method: 'patch',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Change a pet',
      description:
        'A merge patch (RFC 7396). Setting the status by hand takes the pet off sale (`pending`), puts it back (`available`; a sold one gets one unit), or writes its stock off (`sold`).',
      body: bodyOf<PetPatch>({ description: 'What shall change.', schema: petPatch }),
      conditional: true,
      success: 200,
      answer: { description: 'The pet, as it is now.', schema: pet },
      refusals: ['pet_not_found', 'unknown_category', 'invalid_status_transition', 'status_managed_by_orders'],
      handle: async ({ path: { petId }, body, expectation }, { petCatalog }) =>
        ok(showPet(await petCatalog.change(petId, body, expectation(showPet)))),
    }),
    operation({
      operationId: 'deletePet',
      method: 'delete',
      path: '/store/pets/{petId}',
      tag: 'Pets',
      scope: 'pets:write',
      summary: 'Delete a pet that no order names',
      description: 'Its inventory entry and its stock movements go with it.',
      conditional: true,
      success: 204,
      answer: { description: 'The pet is gone.' },
      refusals: ['pet_not_found', 'pet_has_orders'],
      handle: async ({ path: { petId }, expectation }, { petCatalog }) => {
        await petCatalog.letGo(petId, expectation(showPet));
        return gone;
      },
    }),
  ];
}

function showPet({ id, name, categoryId, status }: PetView) {
  return { id, name, categoryId, status };
}
