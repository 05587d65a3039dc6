import { expect } from 'chai';
import type { PetBody } from '../../../src/api/schemas/schemas.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, type RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';

/** Every write to an existing resource: how it is sent, and a body that changes something. */
const WRITES: [method: 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object | undefined][] = [
  ['PUT', '/store/pets/1', { name: 'Tom', categoryId: 1 }],
  ['PATCH', '/store/pets/1', { name: 'Tom' }],
  ['DELETE', '/store/pets/2'],
  ['PUT', '/categories/1', { name: 'Hounds' }],
  ['PATCH', '/categories/1', { name: 'Hounds' }],
  ['DELETE', '/categories/2'],
  ['PATCH', '/store/orders/1', { quantity: 2 }],
  ['DELETE', '/store/orders/1'],
  ['PUT', '/store/inventory/1', { quantity: 9 }],
];

async function furnish(store: RunningPetstore): Promise<void> {
  await store.category('Dogs');
  await store.category('Cats');
  await store.pet({ stock: 5 });
  await store.pet();
  await store.order({ petId: 1 });
}

async function tagAt(store: RunningPetstore, target: string): Promise<string> {
  return (await store.get(target)).header('etag') ?? expect.fail(`${target} has no tag.`);
}

describe('A conditional write over HTTP', () => {
  const store = runningPetstore();

  beforeEach(() => furnish(store));

  const tagOf = (target: string) => tagAt(store, target);

  function write([method, path, body]: (typeof WRITES)[number], headers: Record<string, string>) {
    const type = body && { 'Content-Type': 'application/json' };
    return store.send(method, path, {
      headers: { ...type, ...headers },
      ...(body && { content: JSON.stringify(body) }),
    });
  }

  for (const change of WRITES) {
    const [method, path, body] = change;

    describe(`${method} ${path}`, () => {
      it('is executed when the tag is the current one', async () => {
        const answer = await write(change, { 'If-Match': await tagOf(path) });

        expect(answer.status).to.equal(body ? 200 : 204);
        if (body) expect(await tagOf(path)).to.equal(answer.header('etag'));
      });

      it('is executed when one of several tags is, or for an asterisk', async () => {
        const tag = await tagOf(path);

        expect((await write(change, { 'If-Match': `"x", ${tag}` })).status).to.be.oneOf([200, 204]);
        if (body) expect((await write(change, { 'If-Match': '*' })).status).to.equal(200);
      });

      it('changes nothing otherwise', async () => {
        const before = await store.get(path);

        for (const tag of ['"x"', `W/${before.header('etag')}`, '"x", "y"']) {
          refused(await write(change, { 'If-Match': tag }), 412, 'precondition_failed');
        }

        expect((await store.get(path)).text).to.equal(before.text);
      });

      it('is refused if it requires that the resource does not exist', async () => {
        refused(await write(change, { 'If-None-Match': '*' }), 412, 'precondition_failed');
        refused(await write(change, { 'If-None-Match': await tagOf(path) }), 412, 'precondition_failed');
        expect((await write(change, { 'If-None-Match': '"x"' })).status).to.be.oneOf([200, 204]);
      });

      it('is refused when the header holds no entity tags', async () => {
        for (const value of ['x', '"x', 'W/x', ',', '*, "x"']) {
          const error = refused(await write(change, { 'If-Match': value }), 400, 'invalid_header');
          expect(error.details?.[0]?.parameter).to.equal('If-Match');
        }
        refused(await write(change, { 'If-None-Match': 'x' }), 400, 'invalid_header');
      });

      it('is 404 if the resource does not exist, whatever the condition', async () => {
        const nowhere = [method, path.replace(/\d$/, '99'), body] as (typeof WRITES)[number];

        expect((await write(nowhere, { 'If-Match': '"x"' })).status).to.equal(404);
        expect((await write(nowhere, { 'If-Match': '*' })).status).to.equal(404);
      });

      it('is 422 or 400 before anything is compared', async () => {
        if (body) refused(await write([method, path, {}], { 'If-Match': '"x"' }), 422, 'validation_failed');
        refused(await write([method, `${path}?x=1`, body], { 'If-Match': '"x"' }), 400, 'unknown_parameter');
      });
    });
  }

  it('compares the tag of the pet without expansions, also after it was read with them', async () => {
    const plain = await tagOf('/store/pets/1');
    const expanded = await tagOf('/store/pets/1?expand=category,inventory');

    refused(await store.patch('/store/pets/1', { name: 'Tom' }, { 'If-Match': expanded }), 412, 'precondition_failed');
    expect((await store.patch('/store/pets/1', { name: 'Tom' }, { 'If-Match': plain })).status).to.equal(200);
  });

  it('fails if stock changed the status of the pet meanwhile', async () => {
    const tag = await tagOf('/store/pets/1');
    await store.order({ petId: 1, quantity: 4 });

    refused(await store.patch('/store/pets/1', { name: 'Tom' }, { 'If-Match': tag }), 412, 'precondition_failed');
  });

  it('succeeds with the tag in the response of the previous one', async () => {
    let tag = await tagOf('/store/pets/1');

    for (const name of ['Tim', 'Tom', 'Tam']) {
      const answer = await store.patch('/store/pets/1', { name }, { 'If-Match': tag });
      expect(answer.status).to.equal(200);
      tag = answer.header('etag') ?? '';
    }
  });
});

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`A conditional write over HTTP, concurrently with others (${storage})`, () => {
    const store = runningPetstore({ storage });

    beforeEach(() => furnish(store));

    it('succeeds for exactly one of the clients that read the same', async () => {
      const tag = await tagAt(store, '/store/pets/1');
      const names = Array.from({ length: 20 }, (_, i) => `Tom ${i}`);

      const answers = await Promise.all(
        names.map((name, i) =>
          i % 2
            ? store.patch<PetBody>('/store/pets/1', { name }, { 'If-Match': tag })
            : store.put<PetBody>('/store/pets/1', { name, categoryId: 2 }, { 'If-Match': tag }),
        ),
      );

      const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
      expect(winner?.status).to.equal(200);
      for (const other of others) refused(other, 412, 'precondition_failed');
      expect((await store.get('/store/pets/1')).body).to.deep.equal(winner?.body);
    });

    it('succeeds as a change or as a deletion, never as both', async () => {
      const tag = await tagAt(store, '/store/pets/2');

      const [changed, deleted] = await Promise.all([
        store.patch('/store/pets/2', { name: 'Tom' }, { 'If-Match': tag }),
        store.delete('/store/pets/2', { 'If-Match': tag }),
      ]);

      expect([
        [200, 412],
        [404, 204],
      ]).to.deep.include([changed.status, deleted.status]);
    });
  });
}
