import type { CategoryView } from '../../application/ports/reader.ts';
import { bodyOf, type Operation, operation } from './operation.ts';
import { created, gone, ok } from './protocol/message.ts';
import { listed, pageParameters } from './protocol/paging.ts';
import { sameAsPath } from './protocol/same-as-path.ts';
import {
  type CategoryPatch,
  type CategoryReplacement,
  categories,
  category,
  categoryPatch,
  categoryReplacement,
  type NewCategory,
  namePrefix,
  newCategory,
} from './schemas.ts';

const SORTS = ['id', '-id', 'name', '-name'] as const;

const links = {
  getCategory: {
    operationId: 'getCategory',
    description: 'The category.',
    parameters: { categoryId: '$response.body#/id' },
  },
  updateCategory: {
    operationId: 'updateCategory',
    description: 'Change the category.',
    parameters: { categoryId: '$response.body#/id' },
  },
  deleteCategory: {
    operationId: 'deleteCategory',
    description: 'Delete the category.',
    parameters: { categoryId: '$response.body#/id' },
  },
  listPets: {
    operationId: 'listPets',
    description: 'The pets of the category.',
    parameters: { categoryId: '$response.body#/id' },
  },
} as const;

export const categoryRoutes: readonly Operation[] = [
  operation({
    operationId: 'listCategories',
    method: 'get',
    path: '/categories',
    tag: 'Pets',
    scope: 'pets:read',
    summary: 'List categories',
    query: {
      name: {
        description: 'Only categories whose name begins with this, in any case, width or ligature.',
        schema: namePrefix,
      },
      ...pageParameters(SORTS),
    },
    paged: true,
    success: 200,
    answer: { description: 'A page of categories.', schema: categories },
    refusals: ['invalid_cursor'],
    handle: (call, { categoryDesk }) => {
      const { name, sort = 'id', limit, cursor } = call.query;
      return listed(call, {
        of: 'categories',
        filter: { name },
        sort,
        limit,
        cursor,
        read: (page) => categoryDesk.list({ name }, page),
        count: () => categoryDesk.count({ name }),
        show: showCategory,
      });
    },
  }),
  operation({
    operationId: 'createCategory',
    method: 'post',
    path: '/categories',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Open a category',
    body: bodyOf<NewCategory>({ description: 'The category.', schema: newCategory }),
    success: 201,
    answer: { description: 'The category, as it was opened.', schema: category, links },
    refusals: ['category_name_taken'],
    handle: async ({ body }, { categoryDesk }) => {
      const view = await categoryDesk.open(body);
      return created(showCategory(view), `/categories/${view.id}`);
    },
  }),
  operation({
    operationId: 'getCategory',
    method: 'get',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:read',
    summary: 'Get a category',
    conditional: true,
    success: 200,
    answer: { description: 'The category.', schema: category },
    refusals: ['category_not_found'],
    handle: async ({ path: { categoryId } }, { categoryDesk }) => ok(showCategory(await categoryDesk.get(categoryId))),
  }),
  operation({
    operationId: 'replaceCategory',
    method: 'put',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Replace a category',
    description: 'A description that is left out goes.',
    body: bodyOf<CategoryReplacement>({ description: 'The category.', schema: categoryReplacement }),
    conditional: true,
    success: 200,
    answer: { description: 'The category, as it is now.', schema: category },
    refusals: ['category_not_found', 'category_name_taken'],
    handle: async ({ path: { categoryId }, body, expectation }, { categoryDesk }) => {
      sameAsPath('id', body.id, categoryId);
      const { name, description = null } = body;
      return ok(showCategory(await categoryDesk.change(categoryId, { name, description }, expectation(showCategory))));
    },
  }),
  operation({
    operationId: 'updateCategory',
    method: 'patch',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Change a category',
    description: 'A merge patch (RFC 7396): `null` takes the description away.',
    body: bodyOf<CategoryPatch>({ description: 'What shall change.', schema: categoryPatch }),
    conditional: true,
    success: 200,
    answer: { description: 'The category, as it is now.', schema: category },
    refusals: ['category_not_found', 'category_name_taken'],
    handle: async ({ path: { categoryId }, body, expectation }, { categoryDesk }) =>
      ok(showCategory(await categoryDesk.change(categoryId, body, expectation(showCategory)))),
  }),
  operation({
    operationId: 'deleteCategory',
    method: 'delete',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    scope: 'pets:write',
    summary: 'Delete a category without pets',
    conditional: true,
    success: 204,
    answer: { description: 'The category is gone.' },
    refusals: ['category_not_found', 'category_in_use'],
    handle: async ({ path: { categoryId }, expectation }, { categoryDesk }) => {
      await categoryDesk.close(categoryId, expectation(showCategory));
      return gone;
    },
  }),
];

function showCategory({ id, name, description }: CategoryView) {
  return { id, name, description };
}
