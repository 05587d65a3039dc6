import { categoryDescription, categoryId, categoryName, LARGEST_PAGE } from './schema-values.ts';

const fields = { name: categoryName, description: categoryDescription } as const;

export const newCategory = {
  type: 'object',
  description: 'A category to create.',
  required: ['name'],
  properties: fields,
  additionalProperties: false,
  example: { name: 'Dogs', description: 'Puppies and grown dogs.' },
} as const;

export const categoryReplacement = {
  type: 'object',
  description: 'A NewCategory. It may contain the `id` of the category; a `description` that is absent is removed.',
  required: ['name'],
  properties: { id: categoryId, ...fields },
  additionalProperties: false,
  example: { id: 1, name: 'Dogs', description: 'Puppies and grown dogs, all vaccinated.' },
} as const;

export const categoryPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396) with at least one field: `null` removes the description.',
  minProperties: 1,
  properties: { name: categoryName, description: { ...categoryDescription, nullable: true } },
  additionalProperties: false,
  example: { description: 'Puppies and grown dogs, all vaccinated.' },
} as const;

export const category = {
  type: 'object',
  description: 'A category of the catalogue.',
  required: ['name', 'id'],
  properties: { id: categoryId, ...fields },
  example: { id: 1, name: 'Dogs', description: 'Puppies and grown dogs.' },
} as const;

export const categories = {
  type: 'array',
  description: 'A page of categories.',
  items: category,
  maxItems: LARGEST_PAGE,
  example: [category.example],
} as const;

export const categorySort = {
  type: 'string',
  description: 'A field to sort by; `-` reverses the order.',
  enum: ['id', '-id', 'name', '-name'],
  default: 'id',
} as const;
