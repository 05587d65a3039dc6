import { PET_STATUSES } from 'petstore-service/domain/pet-status';
import { idOf, nameOf, orderOf, petOf, petStatusOf } from './bodies.js';
import { must } from './failures.js';

const ID = { type: 'integer', format: 'int64' };
const TEXT = { type: 'string' };
const PET_STATUS = { type: 'string', enum: PET_STATUSES };
const PETS = { type: 'array', items: 'Pet' };
const COUNTS = { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } };

const petId = { in: 'path', name: 'petId', required: true, schema: ID };
const orderId = { in: 'path', name: 'orderId', required: true, schema: ID };
const apiKey = { in: 'header', name: 'api_key', schema: TEXT };

/**
 * The classic operations that this store has, as data: requests are matched, and both documents are written, by this list. What
 * differs between the versions has a key for each. `scope` is what a caller needs. `returns` is a schema, or the name of one; without it the response has no body.
 * `answer` returns the body.
 */
export const OPERATIONS = [
  {
    operationId: 'addPet',
    method: 'POST',
    path: '/pet',
    scope: 'pets:write',
    summary: 'Add a pet, or change the pet that has this id',
    body: 'Pet',
    returns: { v2: 'Pet', v3: 'Pet' },
    refusals: [400, 'invalid'],
    answer: async (shop, request) => shop.addPet(petOf(await request.json(), request.invalid)),
  },
  {
    operationId: 'updatePet',
    method: 'PUT',
    path: '/pet',
    scope: 'pets:write',
    summary: 'Change a pet',
    body: 'Pet',
    returns: { v2: 'Pet', v3: 'Pet' },
    refusals: [400, 404, 'invalid'],
    answer: async (shop, request) => {
      const pet = petOf(await request.json(), request.invalid);
      return shop.updatePet({ ...pet, id: idOf(pet.id) });
    },
  },
  {
    operationId: 'findPetsByStatus',
    method: 'GET',
    path: '/pet/findByStatus',
    scope: 'pets:read',
    summary: 'List the pets with a status',
    parameters: {
      v2: [{ in: 'query', name: 'status', required: true, schema: { type: 'array', items: PET_STATUS } }],
      v3: [{ in: 'query', name: 'status', schema: { ...PET_STATUS, default: 'available' } }],
    },
    returns: { v2: PETS, v3: PETS },
    refusals: [400],
    answer: (shop, { query, version }) => {
      const words = wordsOf(query, 'status');
      if (words.length === 0 && version === 'v3') return shop.petsWith(['available']);
      must(400, words.length > 0, 'status is missing.');
      return shop.petsWith(words.map((word) => petStatusOf(word)));
    },
  },
  {
    operationId: 'findPetsByTags',
    method: 'GET',
    path: '/pet/findByTags',
    scope: 'pets:read',
    summary: 'List the pets with one of these tags',
    parameters: [{ in: 'query', name: 'tags', required: true, schema: { type: 'array', items: TEXT } }],
    returns: { v2: PETS, v3: PETS },
    refusals: [400],
    answer: (shop, { query }) => {
      const words = wordsOf(query, 'tags');
      must(400, words.length > 0, 'tags is missing.');
      return shop.petsWith(PET_STATUSES, words);
    },
  },
  {
    operationId: 'getPetById',
    method: 'GET',
    path: '/pet/{petId}',
    scope: 'pets:read',
    summary: 'Show a pet',
    parameters: [petId],
    returns: { v2: 'Pet', v3: 'Pet' },
    refusals: [400, 404],
    answer: (shop, { id }) => shop.pet(idOf(id)),
  },
  {
    operationId: 'updatePetWithForm',
    method: 'POST',
    path: '/pet/{petId}',
    scope: 'pets:write',
    summary: 'Change the name and the status of a pet',
    parameters: {
      v2: [
        petId,
        { in: 'formData', name: 'name', schema: TEXT },
        { in: 'formData', name: 'status', schema: PET_STATUS },
      ],
      v3: [petId, { in: 'query', name: 'name', schema: TEXT }, { in: 'query', name: 'status', schema: PET_STATUS }],
    },
    form: 'application/x-www-form-urlencoded',
    returns: { v2: 'ApiResponse', v3: 'Pet' },
    refusals: [400, 404, 'invalid'],
    answer: async (shop, request) => {
      const form = await request.form();
      const [name, status] = ['name', 'status'].map((field) => form.get(field) ?? request.query.get(field));
      const pet = await shop.updatePetWithForm(idOf(request.id), {
        name: name ? nameOf(name, request.invalid) : undefined,
        status: status ? petStatusOf(status, request.invalid) : undefined,
      });
      return request.version === 'v2' ? apiResponse(`${pet.id}`) : pet;
    },
  },
  {
    operationId: 'deletePet',
    method: 'DELETE',
    path: '/pet/{petId}',
    scope: 'pets:write',
    summary: 'Delete a pet that has no orders',
    parameters: [apiKey, petId],
    returns: { v2: 'ApiResponse' },
    refusals: [400, 404],
    answer: async (shop, { id, version }) => {
      await shop.deletePet(idOf(id));
      return version === 'v2' ? apiResponse(id) : undefined;
    },
  },
  {
    operationId: 'uploadFile',
    method: 'POST',
    path: '/pet/{petId}/uploadImage',
    scope: 'pets:write',
    summary: 'Receive a picture, which this store does not keep',
    parameters: {
      v2: [
        petId,
        { in: 'formData', name: 'additionalMetadata', schema: TEXT },
        { in: 'formData', name: 'file', schema: { type: 'file' } },
      ],
      v3: [petId, { in: 'query', name: 'additionalMetadata', schema: TEXT }],
    },
    form: 'multipart/form-data',
    body: { v3: 'binary' },
    returns: { v2: 'ApiResponse', v3: 'ApiResponse' },
    refusals: [400, 404],
    answer: async (shop, request) => {
      const pet = await shop.pet(idOf(request.id));
      const bytes = request.isForm ? (await request.form()).get('file')?.size : (await request.bytes()).length;
      must(400, bytes > 0, 'No file was sent.');
      return apiResponse(`${bytes} bytes received for pet ${pet.id}; this store keeps no pictures.`);
    },
  },
  {
    operationId: 'getInventory',
    method: 'GET',
    path: '/store/inventory',
    scope: 'store:read',
    summary: 'Count the pets of each status',
    returns: { v2: COUNTS, v3: COUNTS },
    refusals: [],
    answer: (shop) => shop.inventory(),
  },
  {
    operationId: 'placeOrder',
    method: 'POST',
    path: '/store/order',
    scope: 'store:write',
    summary: 'Place an order, or change the order that has this id',
    body: 'Order',
    returns: { v2: 'Order', v3: 'Order' },
    refusals: [400, 'invalidOrder'],
    answer: async (shop, request) => shop.placeOrder(orderOf(await request.json(), request.invalidOrder)),
  },
  {
    operationId: 'getOrderById',
    method: 'GET',
    path: '/store/order/{orderId}',
    scope: 'store:read',
    summary: 'Show an order',
    parameters: [orderId],
    returns: { v2: 'Order', v3: 'Order' },
    refusals: [400, 404],
    answer: (shop, { id }) => shop.order(idOf(id)),
  },
  {
    operationId: 'deleteOrder',
    method: 'DELETE',
    path: '/store/order/{orderId}',
    scope: 'store:write',
    summary: 'Cancel an order that is not complete',
    parameters: [orderId],
    returns: { v2: 'ApiResponse' },
    refusals: [400, 404],
    answer: async (shop, { id, version }) => {
      await shop.deleteOrder(idOf(id));
      return version === 'v2' ? apiResponse(id) : undefined;
    },
  },
];

/** The statuses for wrong bodies. */
export const INVALID = {
  v2: { invalid: 405, invalidOrder: 400 },
  v3: { invalid: 422, invalidOrder: 422 },
};

function apiResponse(message) {
  return { code: 200, type: 'unknown', message };
}

function wordsOf(query, name) {
  return query.getAll(name).flatMap((value) => value.split(','));
}
