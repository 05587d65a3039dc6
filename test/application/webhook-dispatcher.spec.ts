import { mock } from 'node:test';
import { expect } from 'chai';
import { UnitOfWork } from '../../src/application/ports/unit-of-work.ts';
import { WebhookSender } from '../../src/application/ports/webhook-sender.ts';
import { WebhookDispatcher } from '../../src/application/webhook-dispatcher.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { Shop } from './shop.ts';

/** Refuses every unit of work, as a database whose disk is full. */
class RefusedWrites extends UnitOfWork {
  async write(): Promise<never> {
    throw new Error('The disk is full.');
  }
}

class AcceptingReceivers extends WebhookSender {
  async send() {
    return { status: 204 };
  }

  async close(): Promise<void> {}
}

describe('The dispatcher of webhooks', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** Lets milliseconds pass, and everything happen that is due in each. */
  const pass = async (milliseconds: number) => {
    for (let i = 0; i < milliseconds; i++) {
      mock.timers.tick(1);
      await new Promise(setImmediate);
    }
  };

  it('waits for a second before it serves a webhook again while the storage refuses its writes', async () => {
    const { webhooks, categories, reader, eventLog, clock } = new Shop();
    await webhooks.create({ url: 'http://receiver.example/', types: ['category.created'], active: true });
    await categories.create({ name: 'Dogs' });
    const log = new RecordingLog();
    const dispatcher = new WebhookDispatcher({
      ...{ reader, eventLog, clock, log, work: new RefusedWrites(), sender: new AcceptingReceivers() },
      bodies: { event: () => '{}', ping: () => '{}' },
      ...{ holder: 'this process', random: () => 0, retention: 1 },
    });

    dispatcher.start();
    await pass(999);
    const first = log.lines.map(({ message }) => message);
    await pass(1_000);
    await dispatcher.stop();

    expect(first).to.deep.equal(['a webhook could not be served']);
    expect(log.lines).to.have.lengthOf(2);
  });
});
