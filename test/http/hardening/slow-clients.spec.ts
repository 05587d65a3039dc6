import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { SlowClients } from '../../../src/adapters/http/koa/slow-clients.ts';

const MIB = 1024 * 1024;

/** As much of an answer of Node's as counts here: so many bytes of it wait for their reader. */
class WaitingAnswer extends EventEmitter {
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

describe('Answers that wait for their readers', () => {
  const HOUR = 3_600_000;
  let readers: SlowClients;

  beforeEach(() => {
    readers = new SlowClients(HOUR);
  });
  afterEach(() => readers.close());

  const waiting = (mib: number) => {
    const answer = new WaitingAnswer(mib * MIB);
    readers.watch(answer as unknown as ServerResponse);
    answer.emit('prefinish');
    return answer;
  };
  const cut = (answers: readonly WaitingAnswer[]) => answers.map(({ isCut }) => isCut);

  it('take up to 128 MiB together; beyond that, those that have waited for longest are cut', () => {
    const answers = [waiting(64), waiting(32), waiting(32)];
    expect(cut(answers)).to.deep.equal([false, false, false]);

    answers.push(waiting(1));
    expect(cut(answers)).to.deep.equal([true, false, false, false]);

    answers.push(waiting(100));
    expect(cut(answers)).to.deep.equal([true, true, true, false, false]);
  });

  it('no longer count when they were read, or their connection has ended', () => {
    const answers = [waiting(100)];
    answers[0]?.emit('close');

    answers.push(waiting(100));
    answers[1]?.emit('close');
    answers.push(waiting(28), waiting(100));

    expect(cut(answers)).to.deep.equal([false, false, false, false]);
  });

  it('do not count while nothing of them waits', () => {
    const answers = [waiting(100), ...Array.from({ length: 1_000 }, () => waiting(0))];

    expect(cut(answers)).to.include.members([false]).and.not.include(true);
  });
});
