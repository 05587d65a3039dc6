import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type LookupFunction, type Socket } from 'node:net';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { HttpWebhookSender, type WebhookSenderSettings } from '../../../src/adapters/webhooks/http-webhook-sender.ts';
import type { WebhookMessage } from '../../../src/application/ports/webhook-sender.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';

const SECRETS = [`whsec_${btoa('a'.repeat(32))}`, `whsec_${btoa('b'.repeat(32))}`];
const never = new AbortController().signal;

describe('The HTTP sender of webhooks', () => {
  let receiver: WebhookReceiver;
  const senders: HttpWebhookSender[] = [];

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close();
    await receiver.close();
  });

  const senderWith = (settings: Partial<WebhookSenderSettings> = {}) => {
    const sender = new HttpWebhookSender({ allowPrivate: true, ...settings });
    senders.push(sender);
    return sender;
  };
  const message = (more: Partial<WebhookMessage> = {}): WebhookMessage => ({
    url: receiver.url,
    id: '7',
    at: Date.now(),
    body: '{"name":"Größe"}',
    secrets: SECRETS,
    ...more,
  });

  it('sends the body with a signature of each secret, which the verifier of Standard Webhooks accepts', async () => {
    const sent = message();

    expect(await senderWith().send(sent, never)).to.deep.equal({ status: 204 });

    const [received] = await receiver.count(1);
    expect(received?.body).to.equal(sent.body);
    expect(received?.headers).to.include({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': '7',
      'webhook-timestamp': String(Math.floor(sent.at / 1000)),
    });
    for (const secret of SECRETS) {
      expect(new Webhook(secret).verify(received?.body ?? '', { ...received?.headers })).to.deep.equal({
        name: 'Größe',
      });
    }
    const other = new Webhook(`whsec_${btoa('c'.repeat(32))}`);
    expect(() => other.verify(received?.body ?? '', { ...received?.headers })).to.throw('No matching signature');
  });

  for (const status of [200, 202, 301, 404, 410, 500]) {
    it(`returns the status ${status} as it is`, async () => {
      receiver.respond = (response) => void response.writeHead(status, { Location: '/elsewhere' }).end('text');

      expect(await senderWith().send(message(), never)).to.deep.equal({ status });

      expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/hook']);
    });
  }

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    receiver.respond = (response) => {
      ports.add(response.socket?.remotePort);
      response.end('ok');
    };
    const sender = senderWith();

    for (let i = 0; i < 20; i++) expect(await sender.send(message(), never)).to.deep.equal({ status: 200 });

    // The end of a response may arrive after its status, and the next message then uses another connection.
    expect(ports.size).to.be.below(10);
  });

  it('sends again where the receiver closes a connection that had been used before', async () => {
    const used = new WeakSet<object>();
    let closed = 0;
    receiver.respond = (response) => {
      const socket = response.socket ?? expect.fail();
      if (used.has(socket)) {
        closed += 1;
        socket.destroy();
      } else {
        used.add(socket);
        response.writeHead(204).end();
      }
    };
    const sender = senderWith();

    for (let i = 0; i < 20; i++) expect(await sender.send(message(), never)).to.deep.equal({ status: 204 });

    expect(closed).to.be.above(0);
  });

  it('stops at the time limit if the receiver does not respond', async () => {
    receiver.respond = () => {};

    const result = await senderWith({ timeout: 50 }).send(message(), never);

    expect(result).to.deep.equal({ error: 'No response within 0.05 s.' });
  });

  it('stops at once when its signal is aborted', async () => {
    receiver.respond = () => stopping.abort();
    const stopping = new AbortController();

    const result = await senderWith().send(message(), stopping.signal);

    expect(result).to.deep.equal({ error: 'The delivery was interrupted.' });
  });

  it('does not wait for the body of a response, and reads a bounded part of it', async () => {
    const closed = Promise.withResolvers<void>();
    receiver.respond = (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', pour).on('close', closed.resolve);
      pour();
    };

    expect(await senderWith().send(message(), never)).to.deep.equal({ status: 200 });

    await closed.promise;
  });

  it('states why there is no response', async () => {
    const sender = senderWith();
    receiver.respond = (response) => response.socket?.destroy();
    expect(await sender.send(message(), never)).to.deep.equal({
      error: 'The connection was closed without a response.',
    });

    const unresolved = Object.assign(new Error(), { code: 'ENOTFOUND' });
    const lookup: LookupFunction = (_host, _options, callback) => callback(unresolved, '', 0);
    expect(await senderWith({ lookup }).send(message({ url: 'http://a.example/' }), never)).to.deep.equal({
      error: 'The name of the host cannot be resolved.',
    });

    const secure = await sender.send(message({ url: `https://127.0.0.1:${receiver.port}/` }), never);
    expect(secure)
      .to.have.property('error')
      .that.matches(/^The TLS connection could not be opened/);

    const stopped = await WebhookReceiver.start();
    const { url } = stopped;
    await stopped.close();
    expect(await sender.send(message({ url }), never)).to.deep.equal({ error: 'The host refused the connection.' });
  });

  describe('where private addresses are refused', () => {
    const refusalOf = (host: string) => ({
      error: `The host ${host} is not on the public internet; deliveries to such addresses are refused.`,
    });
    const resolvesTo =
      (...addresses: string[]): LookupFunction =>
      (_host, options, callback) => {
        const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        if (options.all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      };

    for (const [host, shown] of [
      ['127.0.0.1', '127.0.0.1'],
      ['2130706433', '127.0.0.1'],
      ['0x7f000001', '127.0.0.1'],
      ['0177.0.0.1', '127.0.0.1'],
      ['127.1', '127.0.0.1'],
      ['0', '0.0.0.0'],
      ['[::1]', '::1'],
      ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
      ['169.254.169.254', '169.254.169.254'],
    ] as const) {
      it(`connects to no address that is written as ${host}`, async () => {
        const url = `http://${host}:${receiver.port}/`;

        expect(await senderWith({ allowPrivate: false }).send(message({ url }), never)).to.deep.equal(refusalOf(shown));

        expect(receiver.received).to.deep.equal([]);
      });
    }

    it('connects to no name that resolves to one, be it one of several', async () => {
      const url = `http://rebound.example:${receiver.port}/`;
      for (const addresses of [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1']]) {
        const sender = senderWith({ allowPrivate: false, lookup: resolvesTo(...addresses) });
        expect(await sender.send(message({ url }), never)).to.deep.equal(refusalOf('rebound.example'));
      }
      expect(
        await senderWith({ allowPrivate: false }).send(
          message({ url: receiver.url.replace('127.0.0.1', 'localhost') }),
          never,
        ),
      ).to.deep.equal(refusalOf('localhost'));

      expect(receiver.received).to.deep.equal([]);
    });

    it('checks every resolution, so that a name cannot change its address after a check (DNS rebinding)', async () => {
      const answers = ['8.8.8.8', '127.0.0.1'];
      const asked: string[] = [];
      const connected = new AbortController();
      const lookup: LookupFunction = (host, options, callback) => {
        const address = answers.shift() ?? '127.0.0.1';
        asked.push(address);
        resolvesTo(address)(host, options, callback);
        // The first attempt has its address, and would connect to it.
        if (address === '8.8.8.8') setImmediate(() => connected.abort());
      };
      const sender = senderWith({ allowPrivate: false, lookup });
      const url = `http://rebound.example:${receiver.port}/`;

      expect(await sender.send(message({ url }), connected.signal)).to.have.property('error');
      expect(await sender.send(message({ url }), never)).to.deep.equal(refusalOf('rebound.example'));

      // One resolution for each attempt: there is none between the check and the connection.
      expect(asked).to.deep.equal(['8.8.8.8', '127.0.0.1']);
      expect(receiver.received).to.deep.equal([]);
    });
  });

  it('connects to the address that it checked', async () => {
    const lookup: LookupFunction = (_host, options, callback) => {
      if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    };

    const result = await senderWith({ lookup }).send(message({ url: `http://named.example:${receiver.port}/` }), never);

    expect(result).to.deep.equal({ status: 204 });
    expect(receiver.received[0]?.headers).to.include({ host: `named.example:${receiver.port}` });
  });

  it('states that a response is not HTTP', async () => {
    const sockets: Socket[] = [];
    const server = createServer(
      (socket) => void sockets.push(socket.on('error', () => {}).on('data', () => void socket.end('nonsense\r\n\r\n'))),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const result = await senderWith().send(message({ url: `http://127.0.0.1:${port}/` }), never);

    for (const socket of sockets) socket.destroy();
    server.close();
    expect(result)
      .to.have.property('error')
      .that.matches(/^The request failed \(HPE_/);
  });
});
