import { expect } from 'chai';
import { PathIndex } from '../../../src/adapters/http/handler/path-index.ts';
import { IndexedRouter } from '../../../src/adapters/http/koa/router.ts';

const ENTRIES = [
  { name: 'listPets', path: '/pets', methods: ['HEAD', 'GET'] },
  { name: 'createPet', path: '/pets', methods: ['POST'] },
  { name: 'createPets', path: '/pets/batch', methods: [] },
  { name: 'getPet', path: '/pets/{petId}', methods: ['HEAD', 'GET'] },
  { name: 'listStockMovements', path: '/store/inventory/{petId}/movements', methods: ['HEAD', 'GET'] },
] as const;

describe('The index of paths', () => {
  const index = new PathIndex<(typeof ENTRIES)[number]>(ENTRIES);
  const find = (method: string, path: string) => {
    const match = index.find(method, path);
    return match && [match.entry.name, match.params];
  };

  it('finds an entry by its whole path and its method', () => {
    expect(find('GET', '/pets')).to.deep.equal(['listPets', {}]);
    expect(find('POST', '/pets')).to.deep.equal(['createPet', {}]);
    expect(find('DELETE', '/pets')).to.equal(undefined);
  });

  it('finds a template, with the parameters of the path', () => {
    expect(find('HEAD', '/pets/7')).to.deep.equal(['getPet', { petId: '7' }]);
    expect(find('GET', '/store/inventory/8/movements')).to.deep.equal(['listStockMovements', { petId: '8' }]);
    expect(find('GET', '/store/inventory/8/other')).to.equal(undefined);
  });

  it('prefers a concrete path to a template, even if the path lacks the method', () => {
    expect(find('GET', '/pets/batch')).to.equal(undefined);
    expect(index.methodsOf('/pets/batch')).to.deep.equal([]);
  });

  it('does not match an empty parameter, or a slash at the end', () => {
    expect(find('GET', '/pets/')).to.equal(undefined);
    expect(index.methodsOf('/pets/7/')).to.deep.equal([]);
  });

  it('lists every method of a path once', () => {
    expect(index.methodsOf('/pets')).to.deep.equal(['HEAD', 'GET', 'POST']);
    expect(index.methodsOf('/pets/7')).to.deep.equal(['HEAD', 'GET']);
  });
});

describe('A route of @koa/router', () => {
  const index = new PathIndex<(typeof ENTRIES)[number]>(ENTRIES);
  const routerOf = () => {
    const router = new IndexedRouter(index);
    const called: unknown[] = [];
    for (const entry of ENTRIES) {
      router.serve(entry, ({ routerName, params }) => {
        called.push([entry.name, routerName, params]);
      });
    }
    return { router, called };
  };

  it('has the name of its operation, and can be found by it', () => {
    const { router } = routerOf();

    expect(router.stack.map(({ name }) => name)).to.deep.equal(ENTRIES.map(({ name }) => name));
    expect(router.url('getPet', { petId: 7 })).to.equal('/pets/7');
  });

  it('is called through the index, with its name in the context for middleware', async () => {
    const { router, called } = routerOf();
    const dispatch = router.dispatcher(({ path }) => path);
    const context = { path: '/pets/7', req: { method: 'GET' } };

    await dispatch(context as never, () => Promise.reject(new Error('The route was not found.')));

    expect(called).to.deep.equal([['getPet', 'getPet', { petId: '7' }]]);
  });

  it('is not called if nothing matches: the next middleware is', async () => {
    const { router, called } = routerOf();
    const dispatch = router.dispatcher(({ path }) => path);

    const result = await dispatch({ path: '/cats', req: { method: 'GET' } } as never, async () => 'next');

    expect([result, called]).to.deep.equal(['next', []]);
  });
});
