import { expect } from 'chai';
import { EventStreams } from '../../../src/adapters/http/handler/event-streams.ts';
import { KeyDesk } from '../../../src/application/key-desk.ts';
import { type EventStreamClient, openStream } from '../../support/event-stream.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, type RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';
import { request } from '../raw-socket/raw-requests.ts';

const STREAM = { Accept: 'text/event-stream' };
const ANY_NUMBER = 1_000;

/** Streams of a petstore, which end with each test. */
function streamsOf(circumstances: Circumstances) {
  const store = runningPetstore(circumstances);
  const open: EventStreamClient[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  const stream = async (headers: Readonly<Record<string, string>> = {}, target = '/store/events') => {
    const opened = await openStream(store, target, headers);
    open.push(opened);
    return opened;
  };
  return { store, stream };
}

function openCount(store: RunningPetstore): number {
  return store.petstore.container.get(EventStreams).count;
}

/** Asks until the service has noticed that streams were left. */
async function untilOpen(store: RunningPetstore, count: number): Promise<void> {
  while (openCount(store) !== count) await store.get('/categories');
}

describe('Event streams', () => {
  describe('beside other requests', () => {
    const { store, stream } = streamsOf({ limits: { requestsInFlight: 1, operationTime: 50, streamHeartbeat: 100 } });

    it('count as no request in flight, and outlast the time limit of an operation', async () => {
      const streams = [await stream(), await stream(), await stream()];
      for (const each of streams) await each.until(() => each.comments.length >= 2);

      const { status } = await store.post('/categories', { name: 'Dogs' });

      expect(status).to.equal(201);
      for (const each of streams) expect((await each.events(1))[0]?.data['name']).to.equal('Dogs');
    });
  });

  describe('up to PETSTORE_MAX_STREAMS', () => {
    const { store, stream } = streamsOf({ limits: { streams: 2 } });

    it('are served; beyond it, a stream is 503 and a page is not, until a client leaves', async () => {
      const [first] = [await stream(), await stream()];

      const further = await store.get('/store/events', STREAM);
      const page = await store.get('/store/events');
      first?.close();
      await untilOpen(store, 1);
      const third = await stream();

      refused(further, 503, 'unavailable');
      expect(further.header('retry-after')).to.equal('1');
      expect(page.status).to.equal(200);
      expect(third.status).to.equal(200);
      expect(openCount(store)).to.equal(2);
    });

    it('are counted in the metrics', async () => {
      await stream();

      expect((await store.get('/metrics')).text).to.include('\npetstore_event_streams 1\n');
    });
  });

  describe('of clients that do not read', () => {
    const { store, stream } = streamsOf({ limits: { slowReader: 200 } });

    it('are cut off, and resumed after the last event that was received', async () => {
      const slow = await RawSocket.connect(store.url);
      slow.send(request('GET /store/events', 'Accept: text/event-stream'));
      while (openCount(store) === 0) await store.get('/categories');
      slow.pause();
      const { id } = await store.category();
      const pets = Array.from({ length: ANY_NUMBER }, () => ({ name: '\u{1F436}'.repeat(100), categoryId: id }));
      let last = 1;
      // The network buffers a part of it.
      while (openCount(store) > 0) {
        await store.post('/pets/batch', pets);
        last += ANY_NUMBER;
      }

      slow.readOn();
      await slow.closed;

      const received = [...slow.rest.matchAll(/id: (\d+)\ndata: .*\n\n/g)].map(([, position]) => Number(position));
      const seen = received.at(-1) ?? 0;
      expect(received).to.deep.equal(Array.from({ length: received.length }, (_, i) => i + 1));
      expect(seen).to.be.within(1, last - 1);
      const resumed = await stream({ 'Last-Event-ID': String(seen) });
      const rest = await resumed.events(last - seen);
      expect(rest.map((event) => Number(event.id))).to.deep.equal(
        Array.from({ length: last - seen }, (_, i) => seen + 1 + i),
      );
    });
  });

  describe('when the service shuts down', () => {
    const { store, stream } = streamsOf({ shutdownGrace: 600_000 });

    it('end with what they have sent, so that the service need not wait for them', async () => {
      const streams = [await stream(), await stream()];
      await store.category('Last');
      await streams[0]?.events(1);

      await store.petstore.close();

      for (const each of streams) {
        await each.ended;
        expect((await each.events(1))[0]?.data['name']).to.equal('Last');
      }
    });
  });

  describe('of callers with API keys', () => {
    const { store, stream } = streamsOf({ auth: ['api-key'], limits: { streamHeartbeat: 100 } });

    const desk = () => store.petstore.container.get(KeyDesk);
    const newKey = async (scope: 'events:read' | 'store:read', expiresAt?: number) => {
      const { key, secret } = await desk().issue({ name: 'Reader', scopes: [scope], expiresAt });
      return { id: key.id, headers: { Authorization: `Bearer ${secret}` } };
    };

    it('need the scope events:read', async () => {
      const { headers } = await newKey('store:read');

      refused(await store.get('/store/events', STREAM), 401, 'unauthenticated');
      refused(await store.get('/store/events', { ...STREAM, ...headers }), 403, 'insufficient_scope');
    });

    it('end within a heartbeat after the key was revoked', async () => {
      const { id, headers } = await newKey('events:read');
      const events = await stream(headers);
      await events.until(() => events.comments.length > 0);

      await desk().revoke(id);

      await events.ended;
      expect((await store.get('/store/events', { ...STREAM, ...headers })).status).to.equal(401);
    });

    it('end within a heartbeat after the key has expired', async () => {
      const { headers } = await newKey('events:read', store.clock.now() + 1_000);
      const events = await stream(headers);
      await events.until(() => events.comments.length > 0);

      store.clock.set(store.clock.now() + 2_000);

      await events.ended;
    });

    it('may be private to their caller only', async () => {
      const { headers } = await newKey('events:read');

      const { response } = await stream(headers);

      expect(response.headers.get('cache-control')).to.equal('private, no-cache');
    });
  });
});
