import type { CategorySnapshot } from '../application/ports/reader.ts';
import { listOperation, type Operation, operation } from './operation.ts';
import { pageParameters, pageResponse } from './paging.ts';
import {
  categories,
  category,
  categoryPatch,
  categoryReplacement,
  categorySort,
  newCategory,
} from './schemas/category-schemas.ts';
import { namePrefix } from './schemas/schema-values.ts';
import { assertSameAsPath } from './validation.ts';

const links = {
  getCategory: 'The category.',
  updateCategory: 'Changes the category.',
  deleteCategory: 'Deletes the category.',
  listPets: 'The pets of the category.',
} as const;

export const categoryOperations: readonly Operation[] = [
  listOperation({
    operationId: 'listCategories',
    path: '/categories',
    tag: 'Pets',
    scope: 'pets:read',
    summary: 'List categories',
    description: 'Returns a page of categories.',
    query: {
      name: {
        description: 'Only categories whose name begins with this text, regardless of case.',
        schema: namePrefix,
      },
      ...pageParameters(categorySort),
    },
    response: { description: 'A page of categories.', schema: categories },
    refusals: ['invalid_cursor'],
    handle: (call, { categoryDesk }) => {
      const { name, sort = 'id', limit, cursor } = call.query;
      return pageResponse(call, {
        of: 'categories',
        filter: { name },
        sort,
        limit,
        cursor,
        read: (page) => categoryDesk.list({ name }, page),
        count: (most) => categoryDesk.count({ name }, most),
      });
    },
    show: categoryToJson,
  }),
  operation({
    operationId: 'createCategory',
    method: 'post',
    path: '/categories',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Create a category',
    description: 'Creates a category. Its name must differ from every other name by more than case.',
    body: { description: 'The category to create.', schema: newCategory },
    success: 201,
    response: { description: 'The created category.', schema: category, links },
    refusals: ['category_name_taken'],
    handle: ({ body, options }, { categoryDesk }) => categoryDesk.create(body, options),
    show: categoryToJson,
    location: ({ id }) => `/categories/${id}`,
  }),
  operation({
    operationId: 'getCategory',
    method: 'get',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:read',
    summary: 'Get a category',
    description: 'Returns one category.',
    conditional: true,
    success: 200,
    response: { description: 'The category.', schema: category },
    refusals: ['category_not_found'],
    handle: ({ path: { categoryId } }, { categoryDesk }) => categoryDesk.get(categoryId),
    show: categoryToJson,
  }),
  operation({
    operationId: 'replaceCategory',
    method: 'put',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Replace a category',
    description: 'Replaces every field of the category; a `description` that is absent is removed.',
    body: { description: 'The new state of the category.', schema: categoryReplacement },
    conditional: true,
    success: 200,
    response: { description: 'The changed category.', schema: category },
    refusals: ['category_not_found', 'category_name_taken'],
    handle: async ({ path: { categoryId }, body, options }, { categoryDesk }) => {
      assertSameAsPath('id', body.id, categoryId);
      const { name, description = null } = body;
      return categoryDesk.change(categoryId, { name, description }, options);
    },
    show: categoryToJson,
  }),
  operation({
    operationId: 'updateCategory',
    method: 'patch',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Change a category',
    description: 'Changes the fields that the merge patch (RFC 7396) contains; `null` removes the description.',
    body: { description: 'The fields to change.', schema: categoryPatch },
    conditional: true,
    success: 200,
    response: { description: 'The changed category.', schema: category },
    refusals: ['category_not_found', 'category_name_taken'],
    handle: ({ path: { categoryId }, body, options }, { categoryDesk }) =>
      categoryDesk.change(categoryId, body, options),
    show: categoryToJson,
  }),
  operation({
    operationId: 'deleteCategory',
    method: 'delete',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Delete a category',
    description: 'Deletes a category that no pet belongs to.',
    conditional: true,
    success: 204,
    response: { description: 'The category was deleted.' },
    refusals: ['category_not_found', 'category_in_use'],
    handle: ({ path: { categoryId }, options }, { categoryDesk }) => categoryDesk.delete(categoryId, options),
    show: categoryToJson,
  }),
];

export function categoryToJson({ id, name, description }: CategorySnapshot) {
  return { id, name, description };
}
