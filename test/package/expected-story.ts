import { expect } from 'chai';
import type { Story } from './browser-story.ts';

/** What `browser-story.ts` sees, wherever it runs. */
export function expectStory(story: Story): void {
  const { category, pet, invalid, stock, placed, replayed, refused, unchanged, changed, page } = story;
  expect([category.status, category.location, category.body]).to.deep.equal([
    201,
    '/categories/1',
    { id: 1, name: 'Dogs' },
  ]);
  expect([pet.status, pet.body]).to.deep.equal([201, { id: 1, name: 'Rex', categoryId: 1, status: 'available' }]);
  expect(invalid.status).to.equal(422);
  expect(invalid.body)
    .to.have.property('details')
    .that.has.deep.members([
      {
        pointer: '/colour',
        code: 'unknown_field',
        message: '"colour" is not a known field; the fields are name, categoryId, status.',
      },
      { pointer: '/name', code: 'minLength', message: 'name must not be empty.' },
      { pointer: '/categoryId', code: 'type', message: 'categoryId must be an integer.' },
    ]);
  expect([stock.status, stock.body]).to.deep.equal([200, { petId: 1, quantity: 5, status: 'available', reserved: 0 }]);
  expect([placed.status, placed.body]).to.deep.equal([201, { id: 1, petId: 1, quantity: 2, complete: false }]);
  expect(placed.etag).to.match(/^"[\w-]{27}"$/);
  expect(replayed).to.deep.equal({ ...placed, replayed: 'true' });
  expect(refused.status).to.equal(409);
  expect(refused.body).to.include({ code: 'insufficient_stock' });
  expect([unchanged.status, unchanged.etag, unchanged.body]).to.deep.equal([304, placed.etag, undefined]);
  expect(changed.status).to.equal(412);
  expect(story.batch).to.equal(201);
  expect([page.status, page.body]).to.deep.equal([200, [{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }]]);
  expect(story.document).to.include.members(['/pets', '/store/orders', '/store/inventory/{petId}/movements']);
  expect(story.endpoints).to.deep.equal([
    ['/', 200, 'application/json'],
    ['/docs', 200, 'text/html; charset=utf-8'],
    ['/docs/scalar.js', 404, 'application/json'],
    ['/errors/not_found', 200, 'application/json'],
    ['/openapi.yaml', 200, 'application/yaml'],
    ['/metrics', 200, 'text/plain; version=0.0.4; charset=utf-8'],
  ]);
  expect([story.ready, story.closed]).to.deep.equal([{ status: 'ready' }, 503]);
}
