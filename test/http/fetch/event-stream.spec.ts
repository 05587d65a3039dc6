import { expect } from 'chai';
import { EventStreams } from '../../../src/adapters/http/handler/event-streams.ts';
import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { createPetstore, type Petstore } from '../../../src/composition/create-petstore.ts';
import { EventStreamClient } from '../../support/event-stream.ts';
import { failureOf } from '../../support/promises.ts';

const QUIET = { databaseUrl: 'memory:', demo: false, logLevel: 'silent', listen: false } as const;
const EVENTS = 'http://petstore.example/store/events';

describe('A stream over fetch', () => {
  let shop: Omit<Petstore, 'url'>;

  beforeEach(async () => {
    shop = await createPetstore({ ...QUIET, limits: { eventLoopLag: 60_000, slowReader: 600_000 } });
  });
  afterEach(() => shop.close());

  const post = (path: string, body: object) =>
    shop.fetch(
      new Request(`http://petstore.example${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const streams = () => shop.container.get(EventStreams);
  const request = (target = '', init: RequestInit = {}) =>
    shop.fetch(new Request(EVENTS + target, { headers: { Accept: 'text/event-stream' }, ...init }));
  /** Adds so many pets, in batches. */
  const addPets = async (count: number) => {
    await post('/categories', { name: 'Dogs' });
    for (let added = 0; added < count; added += 1_000) {
      const pets = Array.from({ length: 1_000 }, () => ({ name: 'Rex', categoryId: 1 }));
      expect((await post('/pets/batch', pets)).status).to.equal(201);
    }
  };

  it('is the body of the response', async () => {
    const stream = await EventStreamClient.open((asked) => shop.fetch(asked), EVENTS);

    await post('/categories', { name: 'Dogs' });

    expect((await stream.events(1))[0]?.data).to.deep.equal({ id: 1, name: 'Dogs' });
    stream.close();
    expect(streams().count).to.equal(0);
  });

  it('ends when its reader cancels it, when its request is aborted, and when the petstore is closed', async () => {
    const leaving = new AbortController();
    const [cancelled, aborted, closed] = [
      await request(),
      await request('', { signal: leaving.signal }),
      await request(),
    ];
    expect(streams().count).to.equal(3);

    await cancelled?.body?.cancel();
    expect(streams().count).to.equal(2);
    leaving.abort();
    expect(streams().count).to.equal(1);
    await shop.close();

    expect(streams().count).to.equal(0);
    expect(await closed?.text()).to.equal('');
    expect(await failureOf(aborted?.text() ?? Promise.resolve())).to.include({ name: 'AbortError' });
  });

  it('holds back what its reader has not asked for, and reads it from the log later', async () => {
    const unread = await EventStreamClient.open((asked) => shop.fetch(asked), `${EVENTS}?after=0`);
    await addPets(5_000);

    const events = await unread.events(5_001);

    expect(events.map(({ id }) => id)).to.deep.equal(Array.from({ length: 5_001 }, (_, i) => String(i + 1)));
    unread.close();
  });

  it('ends if its position was removed before its reader came to it; then a new one is 410', async () => {
    const response = await request('?after=0');
    await addPets(5_000);
    await shop.container.get(UnitOfWork).write(({ outbox }) => outbox.purge({ before: 0, upTo: 4_990 }, 5_000));

    const text = await response.text();

    const last = Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]);
    expect(last).to.be.within(1, 4_000);
    const resumed = await request('', { headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(last) } });
    expect(resumed.status).to.equal(410);
    expect(await resumed.json()).to.include({ code: 'events_expired', status: 410 });
    expect(streams().count).to.equal(0);
  });
});
