import { category } from './category-schemas.ts';
import { inventoryItem } from './inventory-schemas.ts';
import { availableByDefault, categoryId, petId, petName, petStatus } from './schema-values.ts';

export const newPet = {
  type: 'object',
  description: 'A pet to create.',
  required: ['name', 'categoryId'],
  properties: { name: petName, categoryId, status: availableByDefault },
  additionalProperties: false,
  example: { name: 'Biscuit', categoryId: 1, status: 'available' },
} as const;

export const newPets = {
  type: 'array',
  description: 'Pets to create in one step: all of them or none.',
  items: newPet,
  minItems: 1,
  maxItems: 1000,
  example: [newPet.example, { name: 'Shadow', categoryId: 1, status: 'pending' }],
} as const;

export const petReplacement = {
  type: 'object',
  description: 'A NewPet. It may contain the `id` of the pet; a `status` that is absent stays unchanged.',
  required: ['name', 'categoryId'],
  properties: { id: petId, name: petName, categoryId, status: petStatus },
  additionalProperties: false,
  example: { id: 7, name: 'Biscuit', categoryId: 1, status: 'pending' },
} as const;

export const petPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396) with at least one field.',
  minProperties: 1,
  properties: { name: petName, categoryId, status: petStatus },
  additionalProperties: false,
  example: { status: 'pending' },
} as const;

export const pet = {
  type: 'object',
  description: 'A pet of the catalogue.',
  required: ['name', 'categoryId', 'id'],
  properties: { id: petId, name: petName, categoryId, status: availableByDefault },
  example: { id: 7, name: 'Biscuit', categoryId: 1, status: 'available' },
} as const;

export const pets = {
  type: 'array',
  description: 'A page of pets, or the pets of a batch.',
  items: pet,
  maxItems: newPets.maxItems,
  example: [pet.example],
} as const;

export const storePet = {
  type: 'object',
  description: 'A pet, and what `expand` requested beside it.',
  required: ['name', 'categoryId', 'id'],
  properties: { ...pet.properties, category, inventory: inventoryItem },
  example: { ...pet.example, category: category.example, inventory: inventoryItem.example },
} as const;

export const petSort = {
  type: 'string',
  description: 'A field to sort by; `-` reverses the order.',
  enum: ['id', '-id', 'name', '-name'],
  default: 'id',
} as const;

export const petExpansion = {
  type: 'string',
  description: 'A resource to show together with the pet.',
  enum: ['category', 'inventory'],
} as const;
