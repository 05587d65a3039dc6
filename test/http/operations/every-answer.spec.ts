import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

/** One request for every kind of answer that there is. */
const ASKED: [method: string, target: string, status: number, headers?: Record<string, string>][] = [
  ['GET', '/store/pets/1', 200],
  ['HEAD', '/store/pets/1', 200],
  ['GET', '/store/pets/1', 304, { 'If-None-Match': '*' }],
  ['DELETE', '/store/pets/2', 204],
  ['OPTIONS', '/pets', 204],
  ['GET', '/pets?x=1', 400],
  ['GET', '/store/pets/%zz', 400],
  ['GET', '/store/pets/9', 404],
  ['GET', '/nowhere', 404],
  ['HEAD', '/nowhere', 404],
  ['POST', '/store/pets/1', 405],
  ['GET', '/pets', 406, { Accept: 'text/html' }],
  ['DELETE', '/categories/1', 409],
  ['DELETE', '/store/pets/1', 412, { 'If-Match': '"x"' }],
  ['GET', `/pets?name=${'x'.repeat(9000)}`, 414],
  ['POST', '/pets', 415, { 'Content-Type': 'text/plain', 'Content-Length': '0' }],
  ['GET', '/openapi.json', 200],
  ['GET', '/openapi.yaml', 200],
  ['GET', '/asyncapi.json', 200],
  ['GET', '/docs', 200],
  ['GET', '/errors/not_found', 200],
  ['GET', '/errors/nothing', 404],
  ['GET', '/health/live', 200],
  ['GET', '/health/ready', 200],
  ['GET', '/metrics', 200],
];

describe('Every response', () => {
  const store = runningPetstore();

  beforeEach(async () => {
    await store.pet();
    await store.pet();
  });

  it('has the id of the request', async () => {
    for (const [method, target, status, headers = {}] of ASKED) {
      const answer = await store.send(method, target, { headers: { ...headers, 'X-Request-Id': 'order-7/of:today' } });

      expect(answer.status, `${method} ${target}`).to.equal(status);
      expect(answer.header('x-request-id')).to.equal('order-7/of:today');
      if (status >= 400 && method !== 'HEAD') {
        expect(answer.body).to.include({ requestId: 'order-7/of:today', status });
      }
    }
  });

  it('has a new id if the request had none, and the version of the interface', async () => {
    for (const [method, target, , headers = {}] of ASKED) {
      const answer = await store.send(method, target, { headers });

      expect(answer.header('x-request-id'), `${method} ${target}`).to.match(/^[0-9a-f-]{36}$/);
      expect(answer.header('api-version')).to.equal('1.0.0');
    }
  });

  it('has a different id for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.get('/pets')));

    expect(new Set(answers.map((answer) => answer.header('x-request-id'))).size).to.equal(20);
  });

  it('keeps an id of up to 128 visible ASCII characters, and replaces any other', async () => {
    const idFor = async (id: string | string[]) =>
      (await store.get('/pets', { 'X-Request-Id': id })).header('x-request-id');

    for (const id of ['x', '~!{}"', 'a'.repeat(128)]) expect(await idFor(id)).to.equal(id);
    for (const id of ['', 'a b', 'a'.repeat(129), 'caf\u00e9', 'a\tb', ['one', 'two']]) {
      expect(await idFor(id), String(id)).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('that is an error says which value was wrong, why, and what would be right', async () => {
    const messageOf = async (target: string, status: number, code: string) =>
      refused(await store.get(target), status, code).message;

    expect(await messageOf('/pets?limit=500', 400, 'invalid_parameter'))
      .to.include('limit')
      .and.to.include('100');
    expect(await messageOf('/pets?stauts=sold', 400, 'unknown_parameter'))
      .to.include('stauts')
      .and.to.include('status');
    expect(await messageOf('/store/pets/abc', 400, 'invalid_parameter'))
      .to.include('petId')
      .and.to.include('abc');
    expect(await messageOf('/store/pets/9', 404, 'pet_not_found')).to.include('9');
    const { message } = refused(
      await store.post('/pets', { name: 'x'.repeat(101), categoryId: 1 }),
      422,
      'validation_failed',
    );
    expect(message).to.include('name').and.to.include('100');
  });

  it('reveals nothing about the software', async () => {
    for (const [method, target, , headers = {}] of ASKED) {
      const { rawHeaders } = await store.send(method, target, { headers });
      const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
      expect(names).to.not.include.members(['server']);
      expect(names.filter((name) => name.startsWith('x-powered'))).to.deep.equal([]);
    }
  });
});
