import { expect } from 'chai';
import { createPetstore, type Petstore } from '../../../src/composition/create-petstore.ts';
import { failureOf } from '../../support/promises.ts';
import { freshFolder } from '../../support/temporary.ts';

const QUIET = { port: 0, databaseUrl: 'memory:', demo: false, logLevel: 'silent' } as const;
const JSON_HEADERS = { 'Content-Type': 'application/json' };

describe('A petstore that is served by fetch', () => {
  let shop: Pick<Petstore, 'fetch' | 'close'>;

  beforeEach(async () => {
    shop = await createPetstore({ ...QUIET, listen: false });
  });

  afterEach(() => shop.close());

  function post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    const content = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) };
    return shop.fetch(new Request(`http://petstore.example${path}`, { ...content, ...init }));
  }

  it('answers without listening, under any name', async () => {
    const created = await post('/categories', { name: 'Dogs' });

    expect(created.status).to.equal(201);
    expect(created.headers.get('location')).to.equal('/categories/1');
    const found = await shop.fetch(new Request('http://petstore.example/categories/1'));
    expect(await found.json()).to.deep.equal({ id: 1, name: 'Dogs' });
    expect(found.headers.get('etag')).to.equal(created.headers.get('etag'));
  });

  it('answers HEAD without a body, and OPTIONS with the methods', async () => {
    const head = await shop.fetch(new Request('http://petstore.example/categories', { method: 'HEAD' }));
    const options = await shop.fetch(new Request('http://petstore.example/categories', { method: 'OPTIONS' }));

    expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([200, '2', '']);
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'HEAD, GET, POST, OPTIONS']);
  });

  it('leaves compression to what writes the response to a network', async () => {
    const headers = { 'Accept-Encoding': 'br, gzip' };
    const document = await shop.fetch(new Request('http://petstore.example/openapi.json', { headers }));

    expect(document.headers.get('content-encoding')).to.equal(null);
    expect(await document.json()).to.include({ openapi: '3.0.3' });
  });

  it('refuses a body as soon as it is too large, and reads no further', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(256 * 1024).fill(32));
      },
    });
    const refused = await post('/categories', undefined, { body: endless, duplex: 'half' });

    expect(refused.status).to.equal(413);
    expect(sent).to.be.below(10);
  });

  it('reads a large batch', async () => {
    await post('/categories', { name: 'Dogs' });
    const pets = Array.from({ length: 1000 }, () => ({ name: 'x'.repeat(100), categoryId: 1 }));
    const created = await post('/pets/batch', pets);

    expect(created.status).to.equal(201);
  });

  it('answers every one of many large bodies, although there is not memory for all of them', async () => {
    await shop.close();
    shop = await createPetstore({ ...QUIET, listen: false, limits: { body: 100_000, batchBody: 100_000 } });
    const body = new Uint8Array(90_000).fill(32);

    const answers = await Promise.all(Array.from({ length: 60 }, () => post('/categories', undefined, { body })));

    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([400, 503]));
  });

  it('reads a body that arrives byte by byte', async () => {
    const text = new TextEncoder().encode(`{"name":"${'x'.repeat(90)}"${' '.repeat(5000)}}`);
    let at = 0;
    const bytes = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at === text.length) controller.close();
        else controller.enqueue(text.slice(at, ++at));
      },
    });

    expect((await post('/categories', undefined, { body: bytes, duplex: 'half' })).status).to.equal(201);
  });

  it('refuses a body without a media type, as over a connection', async () => {
    const body = new TextEncoder().encode('{"name":"Dogs"}');

    const refused = await post('/categories', undefined, { headers: {}, body });

    expect(refused.status).to.equal(415);
    expect((await post('/categories', undefined, { headers: {}, body: null })).status).to.equal(400);
  });

  it('rejects when the body breaks off', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('lost')) });

    const error = await failureOf(post('/categories', undefined, { body: broken, duplex: 'half' }));

    expect(error).to.be.instanceOf(Error).with.property('name', 'AbortError');
  });

  it('rejects when the client aborts while it sends the body, and keeps nothing', async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const stalled = new ReadableStream<Uint8Array>({ pull: () => begun.resolve() }, { highWaterMark: 0 });
    const asked = post('/categories', undefined, {
      body: stalled,
      duplex: 'half',
      signal: controller.signal,
    });
    await begun.promise;
    controller.abort();

    const error = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error).with.property('name', 'AbortError');
    const all = await shop.fetch(new Request('http://petstore.example/categories'));
    expect(await all.json()).to.deep.equal([]);
  });

  it('answers 503 once it is closed', async () => {
    await shop.close();

    const late = await shop.fetch(new Request('http://petstore.example/pets'));
    expect(late.status).to.equal(503);
  });
});

describe('A petstore that limits requests', () => {
  let shop: Pick<Petstore, 'fetch' | 'close'>;
  const folder = freshFolder();

  afterEach(() => shop.close());

  it('counts requests by the address that is passed to fetch', async () => {
    shop = await createPetstore({
      ...QUIET,
      databaseUrl: `sqlite:${folder()}/store.db`,
      listen: false,
      rateLimit: true,
      rateBurst: 1,
      ratePerMinute: 60,
    });
    const ask = async (clientAddress: string) =>
      (await shop.fetch(new Request('http://petstore.example/pets'), { clientAddress })).status;

    expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.2')]).to.deep.equal([200, 429, 200]);
  });
});
