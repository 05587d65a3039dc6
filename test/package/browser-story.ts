import type { createBrowserPetstore } from '../../src/composition/create-browser-petstore.ts';

/** What a client sees of one response. */
export interface Seen {
  readonly status: number;
  readonly etag: string | null;
  readonly location: string | null;
  readonly replayed: string | null;
  readonly body: unknown;
}

export type Story = Awaited<ReturnType<typeof tellStory>>;

/** A client of a petstore that runs in the same page. It is bundled for browsers, so that it uses no module of Node. */
export async function tellStory(create: typeof createBrowserPetstore) {
  const shop = await create({ demo: false, logLevel: 'silent' });
  const send = async (method: string, path: string, { body, ...headers }: Sent = {}): Promise<Seen> => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const typed = { ...(json !== undefined && { 'Content-Type': 'application/json' }), ...headers };
    const request = new Request(`https://petstore.example${path}`, { method, headers: typed, body: json ?? null });
    const response = await shop.fetch(request);
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      location: response.headers.get('location'),
      replayed: response.headers.get('idempotent-replayed'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };

  const category = await send('POST', '/categories', { body: { name: '  Dogs ' } });
  const pet = await send('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } });
  const invalid = await send('POST', '/pets', { body: { name: '', categoryId: 0.5, colour: 'red' } });
  const stock = await send('PUT', '/store/inventory/1', { body: { quantity: 5 } });
  const order = { body: { petId: 1, quantity: 2 }, 'Idempotency-Key': 'once' };
  const placed = await send('POST', '/store/orders', order);
  const replayed = await send('POST', '/store/orders', order);
  const refused = await send('POST', '/store/orders', { body: { petId: 1, quantity: 4 } });
  const unchanged = await send('GET', '/store/orders/1', { 'If-None-Match': placed.etag ?? '' });
  const changed = await send('PATCH', '/store/pets/1', { body: { status: 'pending' }, 'If-Match': '"another"' });
  const names = Array.from({ length: 1_000 }, (_, i) => ({ name: `${i} ${'x'.repeat(80)}`, categoryId: 1 }));
  const batch = await send('POST', '/pets/batch', { body: names });
  const page = await send('GET', '/pets?sort=-name&limit=1');
  const document = await send('GET', '/openapi.json');
  const ready = await send('GET', '/health/ready');
  const endpoints: [path: string, status: number, type: string | null][] = [];
  for (const path of ['/', '/docs', '/docs/scalar.js', '/errors/not_found', '/openapi.yaml', '/metrics']) {
    const { status, headers } = await shop.fetch(new Request(`https://petstore.example${path}`));
    endpoints.push([path, status, headers.get('content-type')]);
  }
  await shop.close();
  const closed = await send('GET', '/health/ready');
  return {
    ...{ category, pet, invalid, stock, placed, replayed, refused, unchanged, changed, batch: batch.status, page },
    ...{
      document: Object.keys((document.body as { paths: object }).paths),
      ready: ready.body,
      closed: closed.status,
      endpoints,
    },
  };
}

type Sent = { readonly body?: unknown } & Readonly<Record<string, unknown>>;
