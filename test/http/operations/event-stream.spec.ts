import { expect } from 'chai';
import { type EventStreamClient, openStream } from '../../support/event-stream.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const STREAM = { Accept: 'text/event-stream' };

describe('The stream of GET /store/events', () => {
  const store = runningPetstore({ limits: { streamHeartbeat: 100 } });
  const open: EventStreamClient[] = [];

  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function stream(target = '/store/events', headers: Record<string, string> = {}) {
    const opened = await openStream(store, target, headers);
    open.push(opened);
    return opened;
  }

  it('sends each new event as it happens, in order, beginning with the next one', async () => {
    await store.category('Before');

    const events = await stream();
    const dogs = await store.category('Dogs');
    const rex = await store.pet({ categoryId: dogs.id });
    await store.order({ petId: rex.id });

    const received = await events.events(4);
    expect(received.map(({ type, data }) => [type, data['id']])).to.deep.equal([
      ['petstore.category.created', dogs.id],
      ['petstore.pet.created', rex.id],
      ['petstore.pet.status_changed', rex.id],
      ['petstore.order.placed', 1],
    ]);
    expect(events.messages.map(({ id }) => id)).to.deep.equal(received.map(({ id }) => id));
    expect(events.messages.map(({ event }) => event)).to.deep.equal(Array(4).fill(undefined));
  });

  it('has the headers of every response, is never compressed, and names the position where it begins', async () => {
    await store.category();

    const { response } = await stream('/store/events', { 'Accept-Encoding': 'gzip, br', 'X-Request-Id': 'stream-1' });

    const names = [
      'content-type',
      'content-encoding',
      'cache-control',
      'stability',
      'x-request-id',
      'api-version',
      'petstore-event-position',
    ];
    expect(response.status).to.equal(200);
    expect(names.map((name) => response.headers.get(name))).to.deep.equal([
      'text/event-stream',
      null,
      'no-cache',
      'experimental',
      'stream-1',
      '1.0.0',
      '1',
    ]);
  });

  it('writes each frame as an id and one line of data, and nothing else', async () => {
    const events = await stream();

    await store.category('Two\u2028lines');

    const [event] = await events.events(1);
    expect(events.text.replace(/: heartbeat\n\n/g, '')).to.equal(`id: 1\ndata: ${JSON.stringify(event)}\n\n`);
    expect(event?.data).to.deep.equal({ id: 1, name: 'Two\u2028lines' });
  });

  it('begins after `after`, or at the beginning with 0', async () => {
    for (const name of ['A', 'B', 'C']) await store.category(name);

    const all = await stream('/store/events?after=0');
    const some = await stream('/store/events?after=2');

    expect((await all.events(3)).map(({ data }) => data['name'])).to.deep.equal(['A', 'B', 'C']);
    expect((await some.events(1)).map(({ data }) => data['name'])).to.deep.equal(['C']);
  });

  it('resumes after Last-Event-ID, which precedes `after`, without a gap or a duplicate', async () => {
    const first = await stream('/store/events?after=0');
    for (const name of ['A', 'B']) await store.category(name);
    await first.events(2);
    first.close();
    for (const name of ['C', 'D']) await store.category(name);

    const second = await stream('/store/events?after=0', { 'Last-Event-ID': first.messages.at(-1)?.id ?? '' });
    await store.category('E');

    expect((await second.events(3)).map(({ data }) => data['name'])).to.deep.equal(['C', 'D', 'E']);
  });

  it('catches up with a log that is longer than what the node keeps in memory', async () => {
    const follower = await stream();
    const { id } = await store.category();
    const names = Array.from({ length: 900 }, (_, i) => ({ name: `Pet ${i}`, categoryId: id }));
    for (let batch = 0; batch < 4; batch++) await store.post('/pets/batch', names);

    const late = await stream('/store/events?after=0');

    const expected = Array.from({ length: 3601 }, (_, i) => String(i + 1));
    expect((await follower.events(3601)).map((event) => event.id)).to.deep.equal(expected);
    expect((await late.events(3601)).map((event) => event.id)).to.deep.equal(expected);
  });

  it('has only the types that `type` names', async () => {
    await store.category('Early');
    const types = 'type=petstore.category.created&type=petstore.category.deleted';
    const events = await stream(`/store/events?after=0&${types}`);

    await store.pet();
    const { id } = await store.category('Cats');
    await store.delete(`/categories/${id}`);

    expect((await events.events(3)).map(({ type, data }) => [type, data['name']])).to.deep.equal([
      ['petstore.category.created', 'Early'],
      ['petstore.category.created', 'Cats'],
      ['petstore.category.deleted', 'Cats'],
    ]);
  });

  it('sends a comment when nothing happens, which a parser ignores', async () => {
    const events = await stream();

    await events.until(() => events.comments.length >= 2);

    expect(events.comments.slice(0, 2)).to.deep.equal(['heartbeat', 'heartbeat']);
    expect(events.messages).to.deep.equal([]);
  });

  for (const id of ['', 'abc', '-1', '1.5', '01', '9007199254740992']) {
    it(`is refused with Last-Event-ID ${JSON.stringify(id)}`, async () => {
      refused(await store.get('/store/events', { ...STREAM, 'Last-Event-ID': id }), 400, 'invalid_header');
    });
  }

  it('answers HEAD with the same headers, and without a stream', async () => {
    const head = await store.head('/store/events?after=0', STREAM);

    expect([head.status, head.header('content-type'), head.header('petstore-event-position')]).to.deep.equal([
      200,
      'text/event-stream',
      '0',
    ]);
    expect(head.bytes).to.have.length(0);
  });

  const PREFERENCES: readonly [accept: string, type: string][] = [
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, */*', 'text/event-stream'],
    ['text/*', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream;q=0.6', 'text/event-stream'],
    ['text/event-stream, application/problem+json', 'text/event-stream'],
    ['application/json, text/event-stream', 'application/json'],
    ['application/json, text/event-stream;q=0.9', 'application/json'],
    ['text/event-stream;q=0, */*', 'application/json'],
    ['*/*', 'application/json'],
  ];
  for (const [accept, type] of PREFERENCES) {
    it(`is what a client gets with Accept: ${accept}${type === 'application/json' ? ': no, it gets a page' : ''}`, async () => {
      const { status, header } = await store.head('/store/events', { Accept: accept });

      expect([status, header('content-type')]).to.deep.equal([200, type]);
    });
  }

  it('is on no other path: there a client that accepts nothing else gets 406', async () => {
    refused(await store.get('/pets', STREAM), 406, 'not_acceptable');
    const { message } = refused(await store.get('/store/events', { Accept: 'text/html' }), 406, 'not_acceptable');

    expect(message).to.equal('The response is available only as application/json or text/event-stream.');
  });
});
