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
  const router = new IndexedRouter(new PathIndex<(typeof ENTRIES)[number]>(ENTRIES), ENTRIES, () => undefined);

  it('has the name of its operation, and can be found by it', () => {
    expect(router.routes.stack.map(({ name }) => name)).to.deep.equal(ENTRIES.map(({ name }) => name));
    expect(router.routes.url('getPet', { petId: 7 })).to.equal('/pets/7');
  });

  it('is found through the index, which names it in the context for middleware', () => {
    const context = { method: 'GET' };

    const match = router.find(context, '/pets/7');

    expect(match?.entry.name).to.equal('getPet');
    expect(context).to.deep.equal({
      method: 'GET',
      params: { petId: '7' },
      routerName: 'getPet',
      _matchedRouteName: 'getPet',
    });
  });

  it('is not found under another path, and leaves the context as it is', () => {
    const context = { method: 'GET' };

    expect(router.find(context, '/cats')).to.equal(undefined);
    expect(context).to.deep.equal({ method: 'GET' });
  });
});
