import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { SlowClients } from '../../../src/adapters/http/koa/slow-clients.ts';

const MIB = 1024 * 1024;

/** What SlowClients needs of a ServerResponse: its socket, which buffers so many bytes. */
class WaitingResponse extends EventEmitter {
  isCut = false;
  readonly socket: { readonly writableLength: number; readonly resetAndDestroy: () => void };

  constructor(bytes: number) {
    super();
    this.socket = {
      writableLength: bytes,
      resetAndDestroy: () => {
        this.isCut = true;
        this.emit('close');
      },
    };
  }
}

describe('Responses that wait for their clients', () => {
  const HOUR = 3_600_000;
  let clients: SlowClients;

  beforeEach(() => {
    clients = new SlowClients(HOUR);
  });
  afterEach(() => clients.close());

  const waiting = (mib: number) => {
    const response = new WaitingResponse(mib * MIB);
    clients.watch(response as unknown as ServerResponse);
    return response;
  };
  const cut = (responses: readonly WaitingResponse[]) => responses.map(({ isCut }) => isCut);

  it('take up to 128 MiB together; beyond that, the oldest connections are reset', () => {
    const responses = [waiting(64), waiting(32), waiting(32)];
    expect(cut(responses)).to.deep.equal([false, false, false]);

    responses.push(waiting(1));
    expect(cut(responses)).to.deep.equal([true, false, false, false]);

    responses.push(waiting(100));
    expect(cut(responses)).to.deep.equal([true, true, true, false, false]);
  });

  it('no longer count after they were read, or after their connection has ended', () => {
    const responses = [waiting(100)];
    responses[0]?.emit('close');

    responses.push(waiting(100));
    responses[1]?.emit('close');
    responses.push(waiting(28), waiting(100));

    expect(cut(responses)).to.deep.equal([false, false, false, false]);
  });

  it('do not count while their socket buffers nothing', () => {
    const responses = [waiting(100), ...Array.from({ length: 1_000 }, () => waiting(0))];

    expect(cut(responses)).to.include.members([false]).and.not.include(true);
  });
});
