import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('A store that requires If-Match', () => {
  const store = runningPetstore({ requireIfMatch: true });

  beforeEach(async () => {
    await store.category('Dogs');
    await store.pet();
  });

  const CHANGES: [method: 'PUT' | 'PATCH' | 'DELETE', body: object | undefined][] = [
    ['PUT', { name: 'Tom', categoryId: 1 }],
    ['PATCH', { name: 'Tom' }],
    ['DELETE', undefined],
  ];

  for (const [method, body] of CHANGES) {
    const change = (headers: Record<string, string>) =>
      store.send(method, '/store/pets/1', {
        headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
        ...(body && { content: JSON.stringify(body) }),
      });

    it(`refuses ${method} without it, and changes nothing`, async () => {
      const before = await store.get('/store/pets/1');

      refused(await change({}), 428, 'precondition_required');
      refused(await change({ 'If-None-Match': '"x"' }), 428, 'precondition_required');

      expect((await store.get('/store/pets/1')).header('etag')).to.equal(before.header('etag'));
    });

    it(`accepts ${method} with the current tag, and not with another`, async () => {
      const tag = (await store.get('/store/pets/1')).header('etag') ?? '';

      refused(await change({ 'If-Match': '"another"' }), 412, 'precondition_failed');

      expect((await change({ 'If-Match': tag })).status).to.equal(method === 'DELETE' ? 204 : 200);
    });
  }

  it('requires none for reading and creating', async () => {
    expect((await store.get('/store/pets/1')).status).to.equal(200);
    const { status } = await store.send('POST', '/store/orders', {
      headers: { 'Content-Type': 'application/json' },
      content: '{"petId":1}',
    });
    expect(status).to.equal(201);
  });

  it('documents the requirement', async () => {
    const { paths } = JSON.parse((await store.get('/openapi.json')).text);
    const { responses } = paths['/store/pets/{petId}'].patch;
    const operation = store.document.paths['/store/pets/{petId}']?.['patch'] ?? expect.fail();

    const required = store.check.parametersOf(operation).filter((parameter) => parameter.required);
    expect(required.map(({ name }) => name)).to.deep.equal(['petId', 'If-Match']);
    expect(responses).to.include.keys('428');
    expect(paths['/store/pets/{petId}'].get.responses).not.to.include.keys('428');
  });
});
