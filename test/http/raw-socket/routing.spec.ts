import { expect } from 'chai';
import type { Answer } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'REPORT'];
const PAGES = [
  '/openapi.json',
  '/openapi.yaml',
  '/asyncapi.json',
  '/docs',
  '/errors/not_found',
  '/health/live',
  '/health/ready',
  '/metrics',
];

describe('A path and a method', () => {
  const store = runningPetstore();

  beforeEach(async () => {
    await store.pet({ stock: 3 });
    await store.order({ petId: 1 });
  });

  /** Every path of the interface with its methods. */
  const paths = () =>
    Object.entries(store.document.paths).map(([template, operations]) => {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      return {
        path: template.replaceAll(/\{\w+\}/g, '1'),
        methods: methods.includes('GET') ? [...methods, 'HEAD'] : methods,
      };
    });

  const allowOf = (answer: Answer) => (answer.header('allow') ?? '').split(', ');

  it('that are not served are 404', async () => {
    for (const path of [
      '/nothing',
      '/pet',
      '/Pets',
      '/PETS',
      '/store',
      '/store/pet/1',
      '/pets/1/2',
      '/store/inventory/1/movements/2',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        expect(refused(await store.send(method, path), 404, 'not_found').message).to.include(path);
      }
      expect((await store.head(path)).status).to.equal(404);
    }
  });

  it('with an additional slash are 404', async () => {
    for (const path of [...paths().map(({ path }) => path), ...PAGES]) {
      for (const target of [`${path}/`, `/${path}`, path.replace(/\/(?=[^/]+$)/, '//')]) {
        expect((await store.get(target)).status, target).to.equal(404);
      }
      expect((await store.get(`${path}/?limit=1`)).status).to.equal(404);
    }
  });

  it('that do not match are 405, and Allow names those that do', async () => {
    for (const { path, methods } of paths()) {
      for (const method of METHODS.filter((candidate) => !methods.includes(candidate))) {
        const answer = await store.send(method, path);
        expect(answer.status, `${method} ${path}`).to.equal(405);
        expect(allowOf(answer)).to.have.members([...methods, 'OPTIONS']);
        if (method !== 'HEAD') expect(refused(answer, 405, 'method_not_allowed').message).to.include(method);
      }
    }
  });

  it('of a service endpoint are GET and HEAD', async () => {
    for (const page of PAGES) {
      expect((await store.get(page)).status, page).to.equal(200);
      expect((await store.head(page)).status, page).to.equal(200);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await store.send(method, page);
        refused(answer, 405, 'method_not_allowed');
        expect(allowOf(answer)).to.have.members(['GET', 'HEAD', 'OPTIONS']);
      }
    }
  });

  it('are listed by OPTIONS', async () => {
    for (const { path, methods } of paths()) {
      const answer = await store.send('OPTIONS', path);
      expect([answer.status, answer.bytes.length], path).to.deep.equal([204, 0]);
      expect(allowOf(answer)).to.have.members([...methods, 'OPTIONS']);
    }
    expect((await store.send('OPTIONS', '*')).status).to.equal(204);
  });

  it('with HEAD have the same headers as with GET, and no body', async () => {
    const headersOf = ({ rawHeaders }: Answer) => {
      const varying = ['Date', 'X-Request-Id'];
      return rawHeaders.flatMap((name, i) =>
        i % 2 || varying.includes(name) ? [] : [`${name}: ${rawHeaders[i + 1]}`],
      );
    };
    const targets = paths()
      .filter(({ methods }) => methods.includes('GET'))
      .map(({ path }) => path);

    for (const target of [
      ...targets,
      ...PAGES.filter((page) => page !== '/metrics'),
      '/pets?limit=1&sort=-name',
      '/store/pets/1?expand=category',
      '/store/pets/9',
      '/store/pets/x',
      '/pets?x=1',
      '/nowhere',
      '/errors/nothing',
    ]) {
      const [get, head] = [await store.get(target), await store.head(target)];
      expect(head.status, target).to.equal(get.status);
      expect(headersOf(head), target).to.deep.equal(headersOf(get));
      expect(head.bytes.length).to.equal(0);
      expect(head.header('content-length')).to.equal(String(get.bytes.length));
    }
  });

  it('never redirect', async () => {
    for (const { path, methods } of paths()) {
      for (const method of methods) {
        expect((await store.send(method, path)).status, `${method} ${path}`).to.satisfy(
          (s: number) => s < 300 || s >= 400,
        );
      }
    }
  });

  it('match the concrete path before the template', async () => {
    expect((await store.get('/store/inventory/summary')).body).to.have.property('available');
    expect(allowOf(await store.send('OPTIONS', '/pets/batch'))).to.have.members(['POST', 'OPTIONS']);
    refused(await store.get('/pets/batch'), 405, 'method_not_allowed');
  });

  it('are the same if the target is in absolute form', async () => {
    const answer = await store.get<{ id: number }[]>('http://elsewhere.example/pets?limit=1');

    expect(answer.body.map(({ id }) => id)).to.deep.equal([1]);
    expect(answer.header('link')).to.not.include('elsewhere');
  });
});
