import assert from 'node:assert/strict';
import { expect } from 'chai';
import { assertInstance } from '../../src/conformance/assertions.ts';
import { contractOf, explanationOf } from '../../src/conformance/command/explanation.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { itUnless, openedForEach, type TestFunctions } from '../../src/conformance/test-functions.ts';
import { failureOf } from '../support/promises.ts';
import { storage } from './adapters/whole.ts';
import { checksOf } from './collected-checks.ts';

/** The functions of vitest, as its documentation declares them: the bodies of tests and hooks get a context. */
interface Vitest {
  describe(name: string, body?: () => void): void;
  it: ((name: string, body?: (context: object) => unknown, timeout?: number) => void) & {
    skip(name: string, body?: (context: object) => unknown): void;
  };
  beforeEach(body: (context: object, suite: object) => unknown, timeout?: number): void;
  afterEach(body: (context: object, suite: object) => unknown, timeout?: number): void;
}

describe('A suite of the kit', () => {
  let trace: string[];
  let opened: number;

  beforeEach(() => {
    trace = [];
    opened = 0;
  });

  const open = async () => {
    const number = ++opened;
    trace.push(`open ${number}`);
    return { number, dispose: async () => void trace.push(`dispose ${number}`) };
  };

  it('opens an instance for each check, before its hooks, and disposes of it after the check', async () => {
    const checks = checksOf((test) => {
      const { describe, it, beforeEach } = test;
      describe('a', () => {
        const thing = openedForEach(open, test);
        beforeEach(() => void trace.push(`prepare ${thing.number}`));
        it('one', () => void trace.push(`one with ${thing.number}`));
        describe('b', () => it('two', () => void trace.push(`two with ${thing.number}`)));
      });
    });

    for (const check of checks.toReversed()) await check.run();

    expect(trace).to.deep.equal([
      ...['open 1', 'prepare 1', 'two with 1', 'dispose 1'],
      ...['open 2', 'prepare 2', 'one with 2', 'dispose 2'],
    ]);
  });

  it('disposes of an instance when the check fails', async () => {
    const broken = new Error('broken');
    const [check] = checksOf((test) => {
      openedForEach(open, test);
      test.it('one', () => Promise.reject(broken));
    });

    expect(await failureOf(check?.run() ?? Promise.resolve())).to.equal(broken);
    expect(trace).to.deep.equal(['open 1', 'dispose 1']);
  });

  it('skips a check that needs what the adapter declares as a gap, and shows the reason', () => {
    const checks = checksOf((test) => {
      itUnless('It is a cat.', test)('swims', () => undefined);
      itUnless(undefined, test)('walks', () => undefined);
    });

    expect(checks.map(({ title, isSkipped }) => [title, isSkipped])).to.deep.equal([
      ['swims – It is a cat.', true],
      ['walks', false],
    ]);
  });

  it('passes bodies without parameters to the functions of a runner, as mocha, node:test and vitest need them', () => {
    const lengths = new Set<number>();
    const note = (_: string, body?: { readonly length: number }) => void lengths.add(body?.length ?? 0);
    const hook = (body: { readonly length: number }) => void lengths.add(body.length);
    const vitest: Vitest = {
      describe: (_, body) => body?.(),
      it: Object.assign(note, { skip: note }),
      beforeEach: hook,
      afterEach: hook,
    };
    // It compiles: each of the three runners has these functions.
    const runners: readonly TestFunctions[] = [vitest, { describe, it, beforeEach, afterEach }];

    storageSuite(storage, runners[0] as TestFunctions);

    expect(lengths).to.deep.equal(new Set([0]));
  });
});

describe('The explanation of a failure', () => {
  const explained = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return explanationOf(error);
    }
    return expect.fail('Nothing was thrown.');
  };

  it('has the actual and the expected value', () => {
    expect(explained(() => assert.equal(1, 2))).to.include('1 !== 2');
    expect(explained(() => assert.deepEqual({ a: 1 }, { a: 2 }, 'the count')))
      .to.match(/^the count/)
      .and.to.include('a: 1')
      .and.to.include('a: 2');
  });

  it('has every cause', () => {
    const cause = new TypeError('closed', { cause: new AggregateError([new Error('one'), 'two'], 'both') });

    expect(explanationOf(new RangeError('too far', { cause })).split('\n')).to.deep.equal([
      'RangeError: too far',
      'caused by TypeError: closed',
      'caused by AggregateError: both',
      '  one of Error: one',
      "  one of 'two'",
    ]);
    expect(explanationOf('nothing')).to.equal("'nothing'");
  });

  it('ends, also when an error is its own cause', () => {
    const error = new Error('again');
    error.cause = error;

    expect(explanationOf(error).split('\n')).to.have.length(11);
  });

  it('names the module that contains the contract of a port', () => {
    expect(['UnitOfWork', 'WriteScope', 'ApiKeyRepository', 'Clock'].map(contractOf)).to.deep.equal(
      ['unit-of-work', 'unit-of-work', 'api-key-repository', 'clock'].map((file) => `petstore-service/ports/${file}`),
    );
  });
});

describe('An assertion of the kit about what something is', () => {
  class Refused extends Error {
    override readonly name = 'Refused';
  }

  it('lets what it is pass', () => {
    assertInstance(new Refused('no'), Refused);
    assertInstance(new Refused('no'), Error);
  });

  it('says what was there instead', () => {
    expect(() => assertInstance(new RangeError('too far'), Refused, 'the third')).to.throw(
      /^the third must be a Refused, and was RangeError: too far$/,
    );
    expect(() => assertInstance(undefined, Refused)).to.throw(/^it must be a Refused, and was undefined$/);
  });

  it('knows one that comes from another copy of the package', () => {
    const twin = Object.assign(new Error('no'), { name: 'Refused' });

    expect(() => assertInstance(twin, Refused)).to.throw(/ another copy of this package /);
  });
});
