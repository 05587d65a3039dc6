import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { run } from '../package/pack.ts';
import { freshFolder } from '../support/temporary.ts';
import { CLASSIC, type RunningClassic, startClassic } from './running-classic.ts';

const PETSTORE = fileURLToPath(new URL('../../dist/petstore.js', import.meta.url));
const JSON_BODY = { 'Content-Type': 'application/json' };

describe('The classic transport', function () {
  this.timeout(60_000);

  let running: RunningClassic;

  beforeEach(async () => {
    running = await startClassic();
  });

  afterEach(() => running.stop());

  async function call(method: string, path: string, body?: object | string, headers: object = JSON_BODY) {
    const response = await fetch(`${running.classic}${path}`, {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('Content-Type');
    if (text === '') expect(type).to.equal(null);
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }

  /** The response to a request that `fetch` would not send. */
  async function raw(path: string, options: object): Promise<IncomingMessage> {
    const [response] = (await once(
      request(`${running.classic}`, { path, agent: false, ...options }).end(),
      'response',
    )) as [IncomingMessage];
    response.resume();
    return response;
  }

  const doggie = { name: 'doggie', photoUrls: [] };

  describe('under /v2', () => {
    it('returns an ApiResponse for a form, a deletion and a picture', async () => {
      await call('POST', '/v2/pet', { ...doggie, id: 820_001 });
      const picture = new FormData();
      picture.set('additionalMetadata', 'At the beach');
      picture.set('file', new Blob(['12345']), 'rex.png');

      const form = await call('POST', '/v2/pet/820001', 'name=Rex&status=pending', {
        'Content-Type': 'application/x-www-form-urlencoded',
      });
      const upload = await fetch(`${running.classic}/v2/pet/820001/uploadImage`, { method: 'POST', body: picture });
      const order = await call('POST', '/v2/store/order', { id: 5, petId: 820_001 });

      expect(form).to.deep.include({ status: 200, body: { code: 200, type: 'unknown', message: '820001' } });
      expect(await upload.json()).to.deep.equal({
        code: 200,
        type: 'unknown',
        message: '5 bytes received for pet 820001; this store keeps no pictures.',
      });
      expect(order).to.deep.include({
        status: 400,
        body: { code: 400, type: 'error', message: 'Pet 820001 is pending; only an available pet can be ordered.' },
      });
      expect((await call('GET', '/v2/pet/820001')).body).to.include({ id: 820_001, name: 'Rex', status: 'pending' });
      expect(await call('DELETE', '/v2/pet/820001')).to.deep.include({
        status: 200,
        body: { code: 200, type: 'unknown', message: '820001' },
      });
    });

    it('returns an ApiResponse for an order that is cancelled', async () => {
      await call('POST', '/v2/pet', { ...doggie, id: 820_001 });
      await call('POST', '/v2/store/order', { id: 5, petId: 820_001, quantity: 1 });

      expect((await call('DELETE', '/v2/store/order/5')).body).to.deep.equal({
        code: 200,
        type: 'unknown',
        message: '5',
      });
      expect((await call('GET', '/v2/store/order/5')).body).to.deep.equal({
        code: 404,
        type: 'error',
        message: 'There is no order 5.',
      });
    });

    it('requires a status to find by', async () => {
      expect(await call('GET', '/v2/pet/findByStatus')).to.deep.include({
        status: 400,
        body: { code: 400, type: 'error', message: 'status is missing.' },
      });
    });

    it('refuses an invalid pet with 405 and an invalid order with 400', async () => {
      expect((await call('POST', '/v2/pet', { name: 'doggie' })).status).to.equal(405);
      expect((await call('POST', '/v2/store/order', { petId: 1, quantity: -1 })).status).to.equal(400);
      expect((await call('POST', '/v2/pet', 'no JSON')).status).to.equal(400);
    });
  });

  for (const base of ['/v3', '/api/v3']) {
    describe(`under ${base}`, () => {
      it('returns the pet for a form, and no body for a deletion', async () => {
        const pet = await call('POST', `${base}/pet`, { ...doggie, id: 820_001, status: 'available' });

        const changed = await call('POST', `${base}/pet/820001?name=Rex&status=pending`);

        expect(changed).to.deep.include({ status: 200, body: { ...pet.body, name: 'Rex', status: 'pending' } });
        expect(await call('DELETE', `${base}/pet/820001`)).to.deep.include({ status: 200, body: undefined });
      });

      it('receives a picture as bytes', async () => {
        await call('POST', `${base}/pet`, { ...doggie, id: 820_001 });
        const bytes = { 'Content-Type': 'application/octet-stream' };

        expect(await call('POST', `${base}/pet/820001/uploadImage`, 'x'.repeat(2_000_000), bytes)).to.deep.include({
          status: 200,
          body: {
            code: 200,
            type: 'unknown',
            message: '2000000 bytes received for pet 820001; this store keeps no pictures.',
          },
        });
        expect((await call('POST', `${base}/pet/820001/uploadImage`, undefined, bytes)).status).to.equal(400);
        expect((await call('POST', `${base}/pet/4711/uploadImage`, 'x', bytes)).status).to.equal(404);
      });

      it('finds the available pets without a status', async () => {
        const { body: pet } = await call('POST', `${base}/pet`, doggie);
        await call('POST', `${base}/pet`, { ...doggie, status: 'sold' });

        expect(await call('GET', `${base}/pet/findByStatus`)).to.deep.include({ status: 200, body: [pet] });
        expect((await call('GET', `${base}/pet/findByStatus?status=`)).status).to.equal(400);
      });

      it('refuses an invalid body with 422', async () => {
        expect((await call('POST', `${base}/pet`, { name: 'doggie' })).status).to.equal(422);
        expect((await call('POST', `${base}/store/order`, { petId: 1, shipDate: 'soon' })).status).to.equal(422);
      });
    });
  }

  it('accepts null for every optional field', async () => {
    const pet = await call('POST', '/v3/pet', {
      id: null,
      category: { id: null, name: 'Dogs' },
      name: 'doggie',
      photoUrls: [],
      tags: [{ id: null, name: 'friendly' }],
      status: null,
    });
    const plain = await call('POST', '/v3/pet', { ...doggie, category: null, tags: null });
    const order = await call('POST', '/v3/store/order', {
      id: null,
      petId: pet.body.id,
      quantity: null,
      shipDate: null,
      status: null,
      complete: null,
    });

    expect(pet.body).to.deep.equal({
      id: 1,
      category: { id: 1, name: 'Dogs' },
      name: 'doggie',
      photoUrls: [],
      tags: [{ name: 'friendly' }],
      status: 'available',
    });
    expect(plain.body).to.deep.include({ category: { id: 2, name: 'Pets' }, tags: [] });
    expect(order.body).to.deep.equal({ id: 1, petId: 1, quantity: 1, status: 'placed', complete: false });
    expect((await call('POST', '/v3/pet', { ...doggie, name: null })).status).to.equal(422);
  });

  describe('with ids that clients choose', () => {
    it('never shows two pets under one id', async () => {
      // The store will assign 3 to the third pet.
      await call('POST', '/v2/pet', { ...doggie, id: 3, name: 'Chosen' });
      await call('POST', '/v2/pet', { ...doggie, name: 'Second' });
      const third = await call('POST', '/v2/pet', { ...doggie, name: 'Third' });
      // The store called the first pet 1, and shows that id for the third one.
      await call('POST', '/v2/pet', { ...doggie, id: 1, name: 'Third, changed' });
      await call('POST', '/v2/pet', { ...doggie, id: 4, name: 'Fourth' });

      const { body: pets } = await call('GET', '/v2/pet/findByStatus?status=available');

      expect(third.body.id).to.equal(1);
      const named = Object.fromEntries(pets.map(({ id, name }: { id: number; name: string }) => [id, name]));
      expect(pets).to.have.length(4);
      expect(named).to.deep.equal({ 1: 'Third, changed', 2: 'Second', 3: 'Chosen', 4: 'Fourth' });
      for (const pet of pets) expect((await call('GET', `/v2/pet/${pet.id}`)).body).to.deep.equal(pet);
    });

    it('creates one pet when several requests choose the same id at once', async () => {
      const bodies = Array.from({ length: 8 }, (_, i) => ({ ...doggie, id: 99, name: `doggie ${i}` }));

      const responses = await Promise.all(bodies.map((body) => call('POST', '/v2/pet', body)));

      expect(responses.map(({ status, body }) => [status, body.id])).to.deep.equal(bodies.map(() => [200, 99]));
      expect((await call('GET', '/v2/store/inventory')).body).to.deep.equal({ available: 1, pending: 0, sold: 0 });
    });

    it('accepts the id of a deleted pet again', async () => {
      for (const name of ['First', 'Second', 'Third']) {
        expect((await call('POST', '/v2/pet', { ...doggie, id: 2, name })).body).to.include({ id: 2, name });
        expect((await call('DELETE', '/v2/pet/2')).status).to.equal(200);
        expect((await call('GET', '/v2/pet/2')).status).to.equal(404);
      }
    });

    it('changes the order that has the id, but not its pet', async () => {
      for (const id of [70, 71]) await call('POST', '/v2/pet', { ...doggie, id });
      await call('POST', '/v2/store/order', { id: 2, petId: 70, quantity: 1 });

      const moved = await call('POST', '/v2/store/order', { id: 2, petId: 71, quantity: 1 });
      const enlarged = await call('POST', '/v2/store/order', { id: 2, petId: 70, quantity: 2 });
      const completed = await call('POST', '/v2/store/order', { id: 2, petId: 70, quantity: 1, complete: true });
      const other = await call('POST', '/v2/store/order', { petId: 71 });

      expect(moved).to.deep.include({
        status: 400,
        body: { code: 400, type: 'error', message: 'Order 2 is for pet 70, not for pet 71.' },
      });
      expect([enlarged.status, enlarged.body.message]).to.deep.equal([
        400,
        'Pet 70 has too few free units: 1 requested, 0 free.',
      ]);
      expect(completed.body).to.include({ id: 2, petId: 70, status: 'delivered', complete: true });
      expect(other.body).to.include({ id: 1, petId: 71 });
      expect((await call('DELETE', '/v2/store/order/2')).body.message).to.match(/^Order 2 is complete/);
    });

    it('shows the id that a client chose for a new category', async () => {
      const dogs = await call('POST', '/v2/pet', { ...doggie, category: { id: 40, name: 'Dogs' } });
      const cats = await call('POST', '/v2/pet', { ...doggie, category: { id: 40, name: 'Cats' } });
      const more = await call('POST', '/v2/pet', { ...doggie, category: { id: 40 } });

      expect(dogs.body.category).to.deep.equal({ id: 40, name: 'Dogs' });
      expect(cats.body.category).to.deep.equal({ id: 2, name: 'Cats' });
      expect(more.body.category).to.deep.equal({ id: 40, name: 'Dogs' });
      expect((await call('POST', '/v2/pet', { ...doggie, category: { id: 41 } })).body.message).to.equal(
        'There is no category 41.',
      );
    });

    it('uses them in its messages', async () => {
      await call('POST', '/v2/pet', { ...doggie, id: 820_001 });
      await call('POST', '/v2/store/order', { id: 77, petId: 820_001 });
      const message = async (method: string, path: string, body?: object) =>
        (await call(method, path, body)).body.message;

      expect(await message('POST', '/v2/store/order', { petId: 820_001 })).to.match(/^Pet 820001 is pending/);
      expect(await message('POST', '/v2/store/order', { petId: 4_711 })).to.equal('There is no pet 4711 to order.');
      expect(await message('DELETE', '/v2/pet/820001')).to.match(/^Pet 820001 is referenced/);
      // The store calls the pet 1, and that id is not in use here.
      expect(await message('GET', '/v2/pet/1')).to.equal('There is no pet 1.');
      await call('DELETE', '/v2/store/order/77');
      await call('DELETE', '/v2/pet/820001');
      expect(await message('GET', '/v2/pet/820001')).to.equal('There is no pet 820001.');
    });
  });

  describe('for browsers', () => {
    const preflight = { 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'api_key' };

    it('answers the preflight of pages on this machine, and of no others', async () => {
      const own = await raw('/v3/pet', {
        method: 'OPTIONS',
        headers: { Origin: 'http://localhost:3000', ...preflight },
      });
      const evil = await raw('/v3/pet', {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', ...preflight },
      });

      expect(own.statusCode).to.equal(204);
      expect(own.headers).to.include({
        'access-control-allow-origin': 'http://localhost:3000',
        'access-control-allow-methods': 'POST, PUT, OPTIONS',
        allow: 'POST, PUT, OPTIONS',
        vary: 'Origin',
      });
      expect(own.headers['access-control-allow-headers']).to.match(/\bContent-Type\b.*\bapi_key$/);
      expect(evil.headers).to.not.have.any.keys('access-control-allow-origin', 'access-control-allow-methods');
    });

    it('lets pages on this machine read its responses, errors included, and no others', async () => {
      const allowed = async (path: string, Origin: string) =>
        (await raw(path, { headers: { Origin } })).headers['access-control-allow-origin'];

      for (const path of ['/v2/store/inventory', '/v2/pet/1', '/v2/nowhere']) {
        expect(await allowed(path, 'http://localhost:3000')).to.equal('http://localhost:3000');
        expect(await allowed(path, 'https://evil.example')).to.equal(undefined);
      }
    });
  });

  it('serves only requests whose Host is this machine', async () => {
    const status = async (Host: string) => (await raw('/v2/store/inventory', { headers: { Host } })).statusCode;

    expect(await status('evil.example')).to.equal(403);
    expect(await status('localhost:1')).to.equal(200);
  });

  it('answers every unknown target with 404', async () => {
    for (const path of ['//', '/', '//pet', '/v2', '/v2//', '/v2/pet/', '/%', '/?', 'http://localhost//', '*']) {
      expect((await raw(path, {})).statusCode, path).to.equal(404);
    }
    expect((await call('PATCH', '/v2/pet')).status).to.equal(405);
    expect((await call('GET', '/v2/user/ada')).status).to.equal(501);
  });

  it('refuses a body that is too large with 413, and keeps the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = async (path: string, body: string) => {
      const sent = request(`${running.classic}${path}`, { method: 'POST', agent }).end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return [response.statusCode, sent.reusedSocket];
    };

    expect(await post('/v2/pet', ' '.repeat(3_000_000))).to.deep.equal([413, false]);
    expect(await post('/v2/pet', JSON.stringify(doggie))).to.deep.equal([200, true]);
    expect(await post('/v2/nowhere', ' '.repeat(3_000_000))).to.deep.equal([404, true]);
    agent.destroy();
  });

  it('survives clients that disconnect in the middle of a body', async () => {
    const leaving = request(`${running.classic}/v2/pet`, { method: 'POST', headers: { 'Content-Length': '100' } });
    leaving.on('error', () => undefined);
    leaving.write('{"name":');
    await once(leaving, 'socket');
    leaving.destroy();

    expect((await call('GET', '/v2/store/inventory')).status).to.equal(200);
  });

  it('answers HEAD as it answers GET, without a body', async () => {
    const head = await raw('/v2/store/inventory', { method: 'HEAD' });

    expect(head.statusCode).to.equal(200);
    expect(head.headers['content-length']).to.equal(`${'{"available":0,"pending":0,"sold":0}'.length}`);
  });

  describe('with authentication', () => {
    const folder = freshFolder();

    it('requires an API key with the scope of the operation, in api_key or as a bearer token', async () => {
      const key = `petstore_1_${randomBytes(32).toString('hex')}`;
      const settings = {
        DATABASE_URL: `sqlite:${join(folder(), 'store.db')}`,
        PETSTORE_AUTH: 'api-key',
        PETSTORE_FIRST_KEY: key,
      };
      const closed = await startClassic(settings);
      const status = async (headers: Record<string, string>, method = 'GET', path = '/v2/store/inventory') =>
        (await fetch(`${closed.classic}${path}`, { method, headers })).status;
      try {
        const options = { env: { ...process.env, ...settings } };
        const words = ['keys', 'create', '--name', 'Pets', '--scope', 'pets:read'];
        const { stdout } = await run(process.execPath, [PETSTORE, ...words], options);
        const pets = { api_key: stdout.trim() };

        const refused = await fetch(`${closed.classic}/v2/store/inventory`);

        expect([refused.status, await refused.json()]).to.deep.equal([
          401,
          { code: 401, type: 'error', message: 'A credential is required.' },
        ]);
        expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer realm="petstore"');
        expect(await status({ api_key: `${key}x` })).to.equal(401);
        expect(await status({ api_key: key })).to.equal(200);
        expect(await status({ Authorization: `Bearer ${key}` })).to.equal(200);
        expect(await status(pets, 'GET', '/v2/pet/findByStatus?status=sold')).to.equal(200);
        expect(await status(pets)).to.equal(403);
        for (const [method, path] of [
          ['POST', '/v2/pet'],
          ['PUT', '/v3/pet'],
          ['DELETE', '/v3/pet/1'],
          ['POST', '/v2/pet/1/uploadImage'],
          ['POST', '/v3/store/order'],
        ] as const) {
          expect([await status({}, method, path), await status(pets, method, path)], path).to.deep.equal([401, 403]);
        }
      } finally {
        await closed.stop();
      }
    });
  });

  it('refuses invalid settings in one line', async () => {
    const faults = [
      [{ HOST: '0.0.0.0' }, /^petstore-classic: HOST was "0\.0\.0\.0"; it must be a loopback address [^\n]+\n$/],
      [{ CLASSIC_PORT: 'http' }, /^petstore-classic: CLASSIC_PORT was "http"; [^\n]+\n$/],
      [
        { CLASSIC_PORT: new URL(running.classic).port },
        /^petstore-classic: CLASSIC_PORT was \d+, [^\n]+EADDRINUSE[^\n]+\n$/,
      ],
    ] as const;
    for (const [settings, expected] of faults) {
      const env = { ...process.env, PORT: '0', CLASSIC_PORT: '0', ...settings };
      const program = spawn(process.execPath, [CLASSIC], { env, stdio: ['ignore', 'inherit', 'pipe'] });
      let output = '';
      program.stderr.on('data', (text) => (output += String(text)));

      expect(await once(program, 'close')).to.deep.equal([2, null]);
      expect(output).to.match(expected);
    }
  });

  it('serves the documents of both interfaces', async () => {
    const { body: swagger } = await call('GET', '/v2/swagger.json');
    const { body: openapi } = await call('GET', '/api/v3/openapi.json');

    expect(swagger).to.deep.include({ swagger: '2.0', basePath: '/v2' });
    expect(openapi).to.deep.include({ openapi: '3.0.3', servers: [{ url: '/api/v3' }] });
    expect(Object.keys(openapi.paths)).to.deep.equal(Object.keys(swagger.paths));
    const [response] = (await once(get(`${running.classic}/v3/openapi.json`, { agent: false }), 'response')) as [
      IncomingMessage,
    ];
    response.resume();
    expect(response.statusCode).to.equal(200);
  });
});
