import { expect } from 'chai';
import { InMemoryEventLog } from '../../src/adapters/in-memory/event-log.ts';
import type { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { EventFeed, type EventFollower } from '../../src/application/event-feed.ts';
import { type EventRequest, EventsExpired } from '../../src/application/ports/event-log.ts';
import { StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import { failureOf } from '../support/promises.ts';
import { Shop } from './shop.ts';

/** The log in memory, which counts its reads and can fail. */
class CountingEventLog extends InMemoryEventLog {
  readonly requests: EventRequest[] = [];
  subscriptions = 0;
  failures = 0;
  readonly #subscribe: InMemoryEventLog['subscribe'];

  constructor(store: InMemoryStore) {
    super(store);
    this.#subscribe = (listener) => super.subscribe(listener);
  }

  override async read(request: EventRequest) {
    this.requests.push(request);
    if (this.failures > 0) {
      this.failures -= 1;
      throw new StorageUnavailable('The storage is away.');
    }
    return super.read(request);
  }

  override subscribe(listener: () => void): () => void {
    const unsubscribe = this.#subscribe(listener);
    this.subscriptions += 1;
    return () => {
      unsubscribe();
      this.subscriptions -= 1;
    };
  }
}

describe('The event feed', () => {
  let shop: Shop;
  let log: CountingEventLog;
  let feed: EventFeed;
  const followers: EventFollower[] = [];

  beforeEach(() => {
    shop = new Shop();
    log = new CountingEventLog(shop.store);
    feed = new EventFeed(log);
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.leave();
  });

  /** A follower, and what it has read so far. */
  async function following(after?: number) {
    const positions: number[] = [];
    let onRead = () => {};
    let position = after;
    const pump = () => {
      const chunk = follower.read(position as number, undefined);
      if (!chunk || chunk instanceof Promise) return;
      position = chunk.position;
      positions.push(...chunk.events.map((event) => event.position));
      onRead();
    };
    const follower = await feed.follow(pump);
    position ??= follower.position;
    followers.push(follower);
    const until = async (count: number) => {
      while (positions.length < count) await new Promise<void>((resolve) => (onRead = resolve));
      return positions;
    };
    return { follower, until };
  }

  const addCategories = async (...names: string[]) => {
    for (const name of names) await shop.categories.create({ name });
  };

  it('reads the log once for all of its followers', async () => {
    const followed = await Promise.all(Array.from({ length: 100 }, () => following()));

    await addCategories('A');
    for (const { until } of followed) expect(await until(1)).to.deep.equal([1]);
    await addCategories('B', 'C');
    for (const { until } of followed) expect(await until(3)).to.deep.equal([1, 2, 3]);

    expect(log.subscriptions).to.equal(1);
    expect(log.requests.length).to.be.within(2, 3);
  });

  it('begins with the next event, and reads nothing while it has no follower', async () => {
    await addCategories('A');
    expect([log.subscriptions, log.requests.length]).to.deep.equal([0, 0]);

    const { follower, until } = await following();
    await addCategories('B');
    expect(await until(1)).to.deep.equal([2]);
    follower.leave();
    await addCategories('C');

    expect([log.subscriptions, log.requests.length]).to.deep.equal([0, 1]);
  });

  it('has nothing for a follower at the end, and the rest of a chunk for one in the middle of it', async () => {
    const { follower, until } = await following();
    await addCategories('A', 'B', 'C');
    await until(3);

    expect(follower.read(3, undefined)).to.equal(undefined);
    expect(follower.read(7, undefined)).to.equal(undefined);
    const rest = await follower.read(2, undefined);
    expect(rest?.events.map(({ position }) => position)).to.deep.equal([3]);
    expect([rest?.after, rest?.position]).to.deep.equal([2, 3]);
  });

  it('reads the log for a follower that is behind, with its types only', async () => {
    await addCategories('A', 'B');
    const { follower } = await following();

    const chunk = await follower.read(0, ['category.deleted']);

    expect(chunk).to.deep.equal({ after: 0, events: [], position: 2 });
    expect(log.requests).to.deep.equal([{ after: 0, types: ['category.deleted'], limit: 100 }]);
  });

  it('tells a follower that is behind what retention has removed', async () => {
    await addCategories('A', 'B');
    const { follower } = await following();
    await shop.work.write(({ outbox }) => outbox.purge({ before: 0, upTo: 1 }, 10));

    const failure = await failureOf(Promise.resolve(follower.read(0, undefined)));

    expect(failure).to.be.instanceOf(EventsExpired);
    expect((failure as EventsExpired).oldest).to.equal(2);
  });

  it('continues after the storage was unavailable', async () => {
    const { until } = await following();
    log.failures = 1;

    await addCategories('A');

    expect(await until(1)).to.deep.equal([1]);
  });
});
