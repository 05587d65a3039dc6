import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Outcome,
  RequestInProgress,
  type RequestName,
} from '../../../src/application/ports/outcome-repository.ts';
import { Category } from '../../../src/domain/category.ts';
import { failureOf, pass } from '../../support/promises.ts';
import { freshStorage, type OpenStorage } from './storage-under-test.ts';

const REQUEST: RequestName = { caller: 'key:1', operation: 'POST /pets', key: 'k-1' };
const OUTCOME: Outcome = { fingerprint: 'f-1', answer: '{"status":201}', at: 1_000 };

/** Pairs of texts that are two names, however alike they look, sort or read. */
const DIFFERENT: Record<string, readonly [string, string]> = {
  'their case': ['Rex', 'rex'],
  'their normal form': ['Zo\u00eb', 'Zoe\u0308'],
  'the width of their letters': ['Rex', '\uff32\uff45\uff58'],
  'what is not seen': ['Rex', 'Re\u200bx'],
  'white space at an end': ['Rex', 'Rex '],
  'a wildcard': ['a_b', 'axb'],
  'a quote': ["o'm", "o''m"],
  'nothing but what one of them lacks': ['Rex', ''],
  'a character beyond the first plane': ['\u{1f600}', '\u{1f601}'],
};

/** Pairs of requests that are told apart only by where one text ends and the next begins. */
const SHIFTED: readonly (readonly [RequestName, RequestName])[] = [
  [
    { caller: 'ab', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'bc', key: 'd' },
  ],
  [
    { caller: 'a', operation: 'bc', key: 'd' },
    { caller: 'a', operation: 'b', key: 'cd' },
  ],
  [
    { caller: '', operation: 'a', key: 'b' },
    { caller: 'a', operation: '', key: 'b' },
  ],
  [
    { caller: 'a","b', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'b","c', key: 'd' },
  ],
  [
    { caller: 'a b', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'b c', key: 'd' },
  ],
  [
    { caller: 'a\\', operation: '"b', key: 'd' },
    { caller: 'a', operation: '\\"b', key: 'd' },
  ],
];

export function describeOutcomes(open: OpenStorage): void {
  describe('of outcomes', () => {
    const storage = freshStorage(open);

    const lock = (request: RequestName) => storage().work.write(({ outcomes }) => outcomes.lock(request));
    const keep = (request: RequestName, outcome: Outcome) =>
      storage().work.write(({ outcomes }) => outcomes.keep(request, outcome));
    const forget = (keptBefore: number, most: number) =>
      storage().work.write(({ outcomes }) => outcomes.forget(keptBefore, most));
    const keysKept = async (...keys: readonly string[]) => {
      const kept: string[] = [];
      for (const key of keys) if (await lock({ ...REQUEST, key })) kept.push(key);
      return kept;
    };

    it('knows nothing of a request that it was never told of', async () => {
      expect(await lock(REQUEST)).to.equal(undefined);
    });

    it('gives back what was kept, in the unit of work that kept it and in every later one', async () => {
      await storage().work.write(async ({ outcomes }) => {
        await outcomes.keep(REQUEST, OUTCOME);
        expect(await outcomes.lock(REQUEST)).to.deep.equal(OUTCOME);
      });

      expect(await lock(REQUEST)).to.deep.equal(OUTCOME);
      expect(await lock(REQUEST)).to.deep.equal(OUTCOME);
    });

    it('keeps an outcome together with what was done, or neither of them', async () => {
      const { work, reader } = storage();
      const act = (end: () => void) =>
        work.write(async ({ outcomes, categories }) => {
          await categories.add(Category.open({ id: await categories.nextId(), name: 'Dogs' }));
          await outcomes.keep(REQUEST, OUTCOME);
          end();
        });

      await failureOf(
        act(() => {
          throw new Error('undone');
        }),
      );
      expect([await lock(REQUEST), await reader.category(1)]).to.deep.equal([undefined, undefined]);

      await act(() => {});
      expect([await lock(REQUEST), await reader.category(1)]).to.deep.equal([OUTCOME, { id: 1, name: 'Dogs' }]);
    });

    it('puts an outcome in the place of the one before, and has that back when it is undone', async () => {
      const newer: Outcome = { fingerprint: 'f-2', answer: '', at: 500 };
      await keep(REQUEST, OUTCOME);
      const failing = storage().work.write(async ({ outcomes }) => {
        await outcomes.keep(REQUEST, newer);
        await outcomes.forget(2_000, 9);
        throw new Error('undone');
      });
      await failureOf(failing);
      expect(await lock(REQUEST)).to.deep.equal(OUTCOME);

      await keep(REQUEST, newer);
      expect(await lock(REQUEST)).to.deep.equal(newer);
      expect(await forget(500, 9)).to.equal(0);
      expect(await forget(501, 9)).to.equal(1);
      expect(await lock(REQUEST)).to.equal(undefined);
    });

    it('lets one unit of work at a time have a request', async () => {
      const seen: (Outcome | undefined)[] = [];
      const unit = (turn: number) =>
        storage().work.write(async ({ outcomes }) => {
          const kept = await outcomes.lock(REQUEST);
          seen.push(kept);
          await pass(turn);
          if (!kept) await outcomes.keep(REQUEST, { ...OUTCOME, fingerprint: `f-${turn}` });
          await pass(turn);
        });

      const settled = await Promise.allSettled([3, 1, 2, 0].map(unit));

      for (const one of settled) {
        if (one.status === 'rejected') expect(one.reason).to.be.instanceOf(RequestInProgress);
      }
      const kept = await lock(REQUEST);
      const [first, ...others] = seen;
      expect(first).to.equal(undefined);
      expect(kept).not.to.equal(undefined);
      for (const other of others) expect(other).to.deep.equal(kept);
    });

    it('lets the next one have a request when whoever had it failed', async () => {
      const failing = storage().work.write(async ({ outcomes }) => {
        await outcomes.lock(REQUEST);
        await outcomes.keep(REQUEST, OUTCOME);
        await pass(2);
        throw new Error('undone');
      });
      const [failure, next] = await Promise.all([failureOf(failing), pass(9).then(() => lock(REQUEST))]);

      expect(failure).to.have.property('message', 'undone');
      expect(next).to.equal(undefined);
    });

    it('takes and gives copies', async () => {
      const request = { ...REQUEST };
      const outcome = { ...OUTCOME };
      await storage().work.write(async ({ outcomes }) => {
        await outcomes.keep(request, outcome);
        Object.assign(request, { key: 'spoilt' });
        Object.assign(outcome, { answer: 'spoilt' });
        Object.assign((await outcomes.lock(REQUEST)) ?? {}, { answer: 'spoilt' });
      });

      expect(await lock(REQUEST)).to.deep.equal(OUTCOME);
      expect(await lock(request)).to.equal(undefined);
    });

    it('keeps large answers, in whatever characters, exactly', async () => {
      const answers = [
        'x'.repeat(1_048_576),
        '\u{1f600}'.repeat(262_144),
        '\ud7ff\ue000\uffff\u0000\r\n\t"\\\u2028\ufeff e\u0301 \u00e9 \u{10ffff}',
        '',
      ];
      for (const [i, answer] of answers.entries()) {
        await keep({ ...REQUEST, key: `${i}` }, { ...OUTCOME, answer, fingerprint: answer.slice(0, 50) });
      }

      for (const [i, answer] of answers.entries()) {
        const kept = await lock({ ...REQUEST, key: `${i}` });
        // Not by chai: it would write a megabyte into its message.
        expect(kept?.answer === answer, `answer ${i}`).to.equal(true);
        expect(kept?.fingerprint).to.equal(answer.slice(0, 50));
      }
    });

    it('keeps any text exactly, under any name', async () => {
      const texts = fc.string({ unit: 'binary', maxLength: 20 });
      const name = fc.record({ caller: texts, operation: texts, key: texts });
      const kept = fc.record({ fingerprint: texts, answer: texts, at: fc.maxSafeNat() });
      await fc.assert(
        fc.asyncProperty(name, kept, async (request, outcome) => {
          await keep(request, outcome);
          expect(await lock(request)).to.deep.equal(outcome);
        }),
        { seed: 20261121, numRuns: 60 },
      );
    });

    for (const part of ['caller', 'operation', 'key'] as const) {
      for (const [what, [one, other]] of Object.entries(DIFFERENT)) {
        it(`tells requests apart by ${what} in the ${part}`, async () => {
          await keep({ ...REQUEST, [part]: one }, OUTCOME);

          expect(await lock({ ...REQUEST, [part]: other })).to.equal(undefined);
          await keep({ ...REQUEST, [part]: other }, { ...OUTCOME, answer: 'other' });
          expect(await lock({ ...REQUEST, [part]: one })).to.deep.equal(OUTCOME);
          expect(await lock({ ...REQUEST, [part]: other })).to.deep.equal({ ...OUTCOME, answer: 'other' });
        });
      }

      it(`tells requests apart by the last of 300 characters of the ${part}`, async () => {
        const begin = '\u{1f600}'.repeat(299);
        await keep({ ...REQUEST, [part]: `${begin}a` }, OUTCOME);

        expect(await lock({ ...REQUEST, [part]: `${begin}b` })).to.equal(undefined);
        expect(await lock({ ...REQUEST, [part]: `${begin}a` })).to.deep.equal(OUTCOME);
      });
    }

    it('tells requests apart by where one text ends and the next begins', async () => {
      for (const [one, other] of SHIFTED) {
        await storage().work.write(({ outcomes }) => outcomes.forget(Number.MAX_SAFE_INTEGER, 9));
        await keep(one, OUTCOME);

        expect(await lock(other), JSON.stringify(other)).to.equal(undefined);
        expect(await lock(one)).to.deep.equal(OUTCOME);
      }
    });

    describe('forgets', () => {
      beforeEach(async () => {
        // Neither in the order of their names nor in that of their time.
        for (const [key, at] of [
          ['c', 30],
          ['a', 20],
          ['e', 50],
          ['b', 10],
          ['d', 20],
        ] as const) {
          await keep({ ...REQUEST, key }, { ...OUTCOME, at });
        }
      });

      it('what was kept before an instant, and says how many that were', async () => {
        expect(await forget(10, 9)).to.equal(0);
        expect(await forget(30, 9)).to.equal(3);
        expect(await keysKept('a', 'b', 'c', 'd', 'e')).to.deep.equal(['c', 'e']);
        expect(await forget(30, 9)).to.equal(0);
      });

      it('no more than it is told to, the oldest first', async () => {
        expect(await forget(1_000, 0)).to.equal(0);
        expect(await forget(1_000, 1)).to.equal(1);
        expect(await keysKept('a', 'b', 'c', 'd', 'e')).to.deep.equal(['a', 'c', 'd', 'e']);
        expect(await forget(1_000, 2)).to.equal(2);
        expect(await keysKept('a', 'c', 'd', 'e')).to.deep.equal(['c', 'e']);
        expect(await forget(1_000, 3)).to.equal(2);
        expect(await keysKept('c', 'e')).to.deep.equal([]);
      });

      it('what its own unit of work kept too, and by the time that it was kept at last', async () => {
        const gone = await storage().work.write(async ({ outcomes }) => {
          await outcomes.keep({ ...REQUEST, key: 'f' }, { ...OUTCOME, at: 15 });
          await outcomes.keep({ ...REQUEST, key: 'b' }, { ...OUTCOME, at: 60 });
          await outcomes.keep({ ...REQUEST, key: 'e' }, { ...OUTCOME, at: 5 });
          return [
            await outcomes.forget(20, 1),
            await outcomes.lock({ ...REQUEST, key: 'e' }),
            await outcomes.forget(60, 3),
          ];
        });

        expect(gone).to.deep.equal([1, undefined, 3]);
        expect(await keysKept('a', 'b', 'c', 'd', 'e', 'f')).to.deep.equal(['b', 'c']);
      });

      it('nothing for ever when it is undone, and nothing that is kept anew', async () => {
        const failing = storage().work.write(async ({ outcomes }) => {
          expect(await outcomes.forget(1_000, 9)).to.equal(5);
          throw new Error('undone');
        });
        await failureOf(failing);
        expect(await keysKept('a', 'b', 'c', 'd', 'e')).to.have.lengthOf(5);

        await forget(1_000, 9);
        await keep({ ...REQUEST, key: 'a' }, { ...OUTCOME, at: 70 });
        expect(await keysKept('a', 'b')).to.deep.equal(['a']);
      });
    });
  });
}
