import { expect } from 'chai';
import { assertInstance } from '../../src/conformance/assertions.ts';
import { type Section, type Suite, sectionsOf } from '../../src/conformance/check.ts';
import { runWithMocha } from '../../src/conformance/mocha.ts';
import { type Gaps, type Plan, suiteOf } from '../../src/conformance/plan.ts';
import { type Finding, findingOf, findingsOf } from '../../src/conformance/run.ts';
import { failureOf } from '../support/promises.ts';

interface Thing {
  readonly number: number;
  dispose(): Promise<void>;
}

describe('A suite', () => {
  let trace: string[];

  beforeEach(() => {
    trace = [];
  });

  /** A suite on things that are numbered as they are opened. */
  function suite(describe: (plan: Plan<Thing, 'swimming'>) => void, gaps?: Gaps<'swimming'>): Suite {
    let opened = 0;
    const open = async (): Promise<Thing> => {
      const number = ++opened;
      trace.push(`open ${number}`);
      return { number, dispose: async () => void trace.push(`dispose ${number}`) };
    };
    return suiteOf('It', { port: 'Storage', open, gaps }, describe);
  }

  async function findings(of: Suite): Promise<Finding[]> {
    const found: Finding[] = [];
    for await (const finding of findingsOf(of)) found.push(finding);
    return found;
  }

  it('opens a thing for each check, prepares it from the outside in, and disposes of it', async () => {
    const { checks } = suite(({ prepare, group }) => {
      prepare(() => trace.push('outer'));
      group('a', ({ prepare, check }) => {
        prepare(() => trace.push('inner'));
        check('one', ({ number }) => trace.push(`one with ${number}`));
        check('two', ({ number }) => trace.push(`two with ${number}`));
      });
    });

    for (const check of checks.toReversed()) await check.run();

    const [two, one] = [trace.slice(0, 5), trace.slice(5)];
    expect(two).to.deep.equal(['open 1', 'outer', 'inner', 'two with 1', 'dispose 1']);
    expect(one).to.deep.equal(['open 2', 'outer', 'inner', 'one with 2', 'dispose 2']);
  });

  it('disposes of a thing also when a check finds something, or it cannot be prepared', async () => {
    const broken = new Error('broken');
    const { checks } = suite(({ check, group }) => {
      check('one', () => {
        throw broken;
      });
      group('a', ({ prepare, check }) => {
        prepare(() => Promise.reject(broken));
        check('two', () => trace.push('two'));
      });
    });

    for (const check of checks) expect(await failureOf(check.run())).to.equal(broken);

    expect(trace).to.deep.equal(['open 1', 'dispose 1', 'open 2', 'dispose 2']);
  });

  it('lets the checks of a group share a thing, until others share one or all is over', async () => {
    const shared = suite(({ group }) => {
      for (const name of ['a', 'b']) {
        group(name, ({ prepareOnce, check }) => {
          prepareOnce(({ number }) => trace.push(`prepare ${number}`));
          check('one', ({ number }) => trace.push(`one with ${number}`));
          check('two', ({ number }) => trace.push(`two with ${number}`));
        });
      }
    });

    await findings(shared);

    expect(trace).to.deep.equal(
      [1, 2].flatMap((number) => [
        `open ${number}`,
        ...[`prepare ${number}`, `one with ${number}`, `two with ${number}`, `dispose ${number}`],
      ]),
    );
  });

  it('opens nothing for what needs something that the adapter declares as a gap, and gives its reason', async () => {
    const plan = ({ group, check }: Plan<Thing, 'swimming'>) => {
      check('dives', () => trace.push('dives'), 'swimming');
      group('in the sea', ({ check }) => check('swims', () => trace.push('swims')), { needs: 'swimming' });
      check('walks', () => trace.push('walks'));
    };

    const found = await findings(suite(plan, { swimming: 'It is a cat.' }));

    expect(found.map(({ name, outcome, reason }) => [name, outcome, reason])).to.deep.equal([
      ['dives', 'gap', 'It is a cat.'],
      ['swims', 'gap', 'It is a cat.'],
      ['walks', 'kept', undefined],
    ]);
    expect(trace).to.deep.equal(['open 1', 'walks', 'dispose 1']);
    expect((await findings(suite(plan))).map(({ outcome }) => outcome)).to.deep.equal(['kept', 'kept', 'kept']);
  });

  it('finds broken what does not end in time', async () => {
    const { checks } = suite(({ check }) => check('waits', () => new Promise(() => {})));

    const found = checks[0] && (await findingOf(checks[0], 10));

    expect(found).to.include({ outcome: 'broken', reason: 'Error: It did not end within 10 ms.' });
  });

  it('says of what is broken what was there and what should have been', async () => {
    const { default: assert } = await import('node:assert/strict');
    const { checks } = suite(({ check }) => {
      check('counts', () => assert.equal(1, 2));
      check('counts well', () => assert.deepEqual({ a: 1 }, { a: 2 }, 'the count'));
      check('throws', () => Promise.reject(new RangeError('too far')));
      check('throws a text', () => Promise.reject('nothing'));
    });

    const reasons = await Promise.all(checks.map(async (check) => (await findingOf(check)).reason ?? ''));

    expect(reasons[0]).to.include('1 !== 2');
    expect(reasons[1])
      .to.match(/^the count/)
      .and.to.include('1')
      .and.to.include('2');
    expect(reasons.slice(2)).to.deep.equal(['RangeError: too far', "'nothing'"]);
  });

  const nested = () =>
    suite(
      ({ group, check }) => {
        check('one', () => trace.push('one'));
        group('a', ({ group, check }) => {
          check('two', () => trace.push('two'));
          group('b', ({ check }) => check('three', () => trace.push('three'), 'swimming'));
        });
      },
      { swimming: 'It is a cat.' },
    );

  it('has sections by the headings of its checks', () => {
    const shown = (sections: Section[]) =>
      sections.map(({ heading, checks }) => [heading, checks.map(({ name }) => name)]);

    expect(shown(sectionsOf(nested().checks, 0))).to.deep.equal([
      [undefined, ['one']],
      ['a', ['two', 'three']],
    ]);
  });

  it('becomes tests of mocha under its headings, a gap becomes a pending one that says why', async () => {
    const given: string[] = [];
    let after: (() => Promise<void>) | undefined;
    const within: string[] = [];

    runWithMocha(nested(), {
      describe(name, body) {
        within.push(name);
        body.call({ timeout: () => undefined });
        within.pop();
      },
      it: (name, body) => void given.push([...within, name, body ? 'runs' : 'is pending'].join(' / ')),
      after: (body) => void (after = body),
    });

    expect(given).to.deep.equal([
      'It / one / runs',
      'It / a / two / runs',
      'It / a / b / three – It is a cat. / is pending',
    ]);
    expect(after).to.be.a('function');
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
