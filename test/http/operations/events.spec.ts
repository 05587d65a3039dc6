import { expect } from 'chai';
import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { EVENT_TYPES } from '../../../src/domain/events.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { OPENING, runningPetstore } from '../../support/running-petstore.ts';

interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('The events over HTTP', () => {
  const store = runningPetstore();

  const list = (query = '') => store.get<CloudEvent[]>(`/store/events${query}`);
  const idsOf = async (query: string) => (await list(query)).body.map(({ id }) => id);
  const purge = (upTo: number) =>
    store.petstore.container
      .get(UnitOfWork)
      .write(({ outbox }) => outbox.purge({ before: Number.MIN_SAFE_INTEGER, upTo }, 1_000));

  /** One event of each type, from position 1. */
  async function oneOfEach(): Promise<void> {
    await store.post('/categories', { name: 'Dogs' });
    await store.patch('/categories/1', { description: 'They bark.' });
    await store.post('/categories', { name: 'Cats' });
    await store.delete('/categories/2');
    await store.post('/pets', { name: 'Rex', categoryId: 1 });
    await store.patch('/store/pets/1', { name: 'Max' });
    await store.put('/store/inventory/1', { quantity: 5 });
    await store.post('/store/orders', { petId: 1, quantity: 2, shipDate: '2026-12-24T18:00:00+01:00' });
    await store.patch('/store/orders/1', { quantity: 1 });
    await store.patch('/store/orders/1', { complete: true });
    await store.post('/store/orders', { petId: 1 });
    await store.delete('/store/orders/2');
    await store.patch('/store/pets/1', { status: 'sold' });
    await store.patch('/store/pets/1', { status: 'available' });
    await store.post('/pets', { name: 'Tom', categoryId: 1, status: 'sold' });
    await store.delete('/store/pets/2');
  }

  it('are CloudEvents with the resource as the interface shows it', async () => {
    await oneOfEach();

    const { body: events } = await list('?limit=100');

    const common = {
      specversion: '1.0',
      source: 'urn:petstore:store',
      time: new Date(OPENING).toISOString(),
      datacontenttype: 'application/json',
    };
    expect(events.slice(0, 2)).to.deep.equal([
      {
        ...common,
        id: '1',
        sequence: '1',
        type: 'petstore.category.created',
        subject: '/categories/1',
        data: { id: 1, name: 'Dogs' },
      },
      {
        ...common,
        id: '2',
        sequence: '2',
        type: 'petstore.category.updated',
        subject: '/categories/1',
        data: { id: 1, name: 'Dogs', description: 'They bark.' },
      },
    ]);
    const first = (type: string) => events.find((event) => event.type === `petstore.${type}`);
    const shipDate = '2026-12-24T17:00:00.000Z';
    expect(first('order.completed')).to.deep.include({
      subject: '/store/orders/1',
      data: { id: 1, petId: 1, quantity: 1, shipDate, complete: true },
    });
    expect(first('pet.deleted')).to.deep.include({
      subject: '/store/pets/2',
      data: { id: 2, name: 'Tom', categoryId: 1, status: 'sold' },
    });
    expect(first('inventory.written_off')).to.deep.include({
      subject: '/store/inventory/1',
      data: { petId: 1, quantity: 0, status: 'sold', reserved: 0 },
    });
    expect(first('inventory.restocked')?.data).to.deep.equal({
      petId: 1,
      quantity: 1,
      status: 'available',
      reserved: 0,
    });
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(
      new Set(Object.keys(EVENT_TYPES).map((type) => `petstore.${type}`)),
    );
  });

  it('are read page by page, oldest first, as the links lead', async () => {
    await oneOfEach();
    const { body: all } = await list('?limit=100');
    const last = String(all.length);

    const read: CloudEvent[] = [];
    for (let next: string | undefined = '/store/events?limit=4'; next; ) {
      const page: Awaited<ReturnType<typeof list>> = await store.get<CloudEvent[]>(next);
      expect(page.header('petstore-event-position')).to.equal(last);
      expect(page.header('link')).to.include('</store/events?limit=4>; rel="first"');
      read.push(...page.body);
      next = /<([^>]*)>; rel="next"/.exec(String(page.header('link')))?.[1];
    }

    expect(read).to.deep.equal(all);
    expect(await idsOf('?after=3&limit=2')).to.deep.equal(['4', '5']);
    expect(await idsOf(`?after=${last}`)).to.deep.equal([]);
    expect(await idsOf('?after=9007199254740991')).to.deep.equal([]);
    expect(await idsOf('?after=0&limit=1')).to.deep.equal(['1']);
  });

  it('can be limited to some types, with the filter in the link', async () => {
    await oneOfEach();

    const page = await list('?type=petstore.pet.created,petstore.pet.deleted&limit=2&type=petstore.category.deleted');

    expect(page.body.map(({ type }) => type)).to.deep.equal(['petstore.category.deleted', 'petstore.pet.created']);
    expect(page.header('link')).to.include(
      `</store/events?type=petstore.pet.created,petstore.pet.deleted&limit=2&type=petstore.category.deleted&after=${page.body[1]?.id}>; rel="next"`,
    );
    expect((await list('?type=petstore.order.placed&after=100')).body).to.deep.equal([]);
  });

  it('let a new consumer list the resources and follow from the position of a page', async () => {
    await store.category('Dogs');
    const position = (await list('?limit=1')).header('petstore-event-position');
    await store.category('Cats');

    const { body } = await list(`?after=${position}`);

    expect(body.map(({ data }) => data['name'])).to.deep.equal(['Cats']);
  });

  it('have an entity tag that changes with the log', async () => {
    const empty = await list();
    expect(empty.body).to.deep.equal([]);
    expect(empty.header('petstore-event-position')).to.equal('0');
    const tag = String(empty.header('etag'));
    const unchanged = await store.get('/store/events', { 'If-None-Match': tag });
    expect(unchanged.status).to.equal(304);
    expect(unchanged.header('petstore-event-position')).to.equal('0');

    await store.category('Dogs');

    expect((await store.get('/store/events', { 'If-None-Match': tag })).status).to.equal(200);
  });

  it('are gone after retention: a purged position is an error that names the oldest available one', async () => {
    await oneOfEach();
    await purge(4);

    const error = refused(await list('?after=3'), 410, 'events_expired');
    expect(error.message).to.include('position available is 5');
    refused(await list('?after=0'), 410, 'events_expired');
    expect((await idsOf('?after=4'))[0]).to.equal('5');
    expect((await idsOf(''))[0]).to.equal('5');
    expect((await list()).header('stability')).to.equal('experimental');
  });

  it('refuse positions, types and limits that do not exist', async () => {
    for (const query of ['after=-1', 'after=x', 'after=', 'after=9007199254740992', 'after=1.5', 'after=1&after=2']) {
      expect(placesOf(refused(await list(`?${query}`), 400, 'invalid_parameter')), query).to.deep.equal(['after']);
    }
    for (const query of ['type=order.placed', 'type=petstore.order.placed,', 'limit=0', 'limit=101']) {
      refused(await list(`?${query}`), 400, 'invalid_parameter');
    }
    refused(await list('?cursor=x'), 400, 'unknown_parameter');
  });
});

describe('The events of a store with a public address', () => {
  const store = runningPetstore({ publicUrl: 'https://pets.example', basePath: '/v1' });

  it('have it as their source, and in their links; subjects have no base path', async () => {
    for (const name of ['Dogs', 'Cats']) await store.post('/v1/categories', { name });

    const { body, header } = await store.get<(CloudEvent & { readonly source: string })[]>('/v1/store/events?limit=1');

    expect(body[0]).to.deep.include({ source: 'https://pets.example', subject: '/categories/1' });
    expect(header('link')).to.include('<https://pets.example/v1/store/events?limit=1&after=1>; rel="next"');
  });
});
