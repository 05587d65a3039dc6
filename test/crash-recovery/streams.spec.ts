import { join } from 'node:path';
import { expect } from 'chai';
import { EventStreamClient, type ReceivedEvent } from '../support/event-stream.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';

const ROUNDS = 3;
const PER_ROUND = 60;

describe('A stream of a service on SQLite that is killed without warning', () => {
  const folder = freshFolder();

  it('is resumed without a gap or a duplicate, and has every acknowledged change', async () => {
    const settings = { DATABASE_URL: `sqlite:${join(folder(), 'store.db')}`, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' };
    const received: ReceivedEvent[] = [];
    const acknowledged = new Set<string>();

    const resume = ({ url }: ServiceProcess) =>
      EventStreamClient.open(fetch, `${url}/store/events?after=0`, resumption(received.at(-1)));
    const keep = (stream: EventStreamClient) => {
      received.push(...stream.messages.map(({ data }) => JSON.parse(data) as ReceivedEvent));
      stream.close();
    };

    for (let round = 1; round <= ROUNDS; round++) {
      const service = await ServiceProcess.start(settings);
      const stream = await resume(service);
      const names = Array.from({ length: PER_ROUND }, (_, i) => `Category ${round}-${i}`);
      const clients = [0, 1, 2].map(async (client) => {
        for (const name of names.filter((_, i) => i % 3 === client)) {
          const response = await createCategory(service.url, name);
          if (response?.status === 201) acknowledged.add(name);
        }
      });
      // In the middle of the round.
      await stream.events(PER_ROUND / 3);
      await service.kill();
      await Promise.all(clients);
      await stream.ended.catch(() => undefined);
      keep(stream);
    }

    const service = await ServiceProcess.start(settings);
    try {
      await createCategory(service.url, 'The end');
      const last = await resume(service);
      await last.until(() => last.text.includes('"The end"'));
      keep(last);
      const whole = await EventStreamClient.open(fetch, `${service.url}/store/events?after=0`);
      const log = await whole.events(received.length);
      whole.close();

      expect(received).to.deep.equal(log);
      expect(ids(received)).to.deep.equal([...new Set(ids(received))].sort((a, b) => a - b));
      const names = received.map(({ data }) => data['name'] as string);
      expect([...acknowledged].filter((name) => !names.includes(name))).to.deep.equal([]);
      expect(acknowledged.size).to.be.at.least(ROUNDS * (PER_ROUND / 3 - 1));
    } finally {
      await service.stop();
    }
  });
});

function resumption(last: ReceivedEvent | undefined): Readonly<Record<string, string>> {
  return last ? { 'Last-Event-ID': last.id } : {};
}

function ids(events: readonly ReceivedEvent[]): number[] {
  return events.map(({ id }) => Number(id));
}

/** `undefined` if the connection was lost. */
function createCategory(url: string, name: string): Promise<Response | undefined> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${url}/categories`, { method: 'POST', headers, body: JSON.stringify({ name }) }).catch(() => undefined);
}
