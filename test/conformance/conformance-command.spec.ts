import { expect } from 'chai';
import type { Finding, Subject, Trial } from '../../src/adapters/cli/conformance-command.ts';
import { program } from '../../src/adapters/cli/program.ts';
import { AdapterUnusable, suitesFor } from '../../src/conformance/adapter-under-test.ts';
import { failureOf } from '../support/promises.ts';
import { inMemory } from './mutants/mutant-storage.ts';

/** Thrown where a process would have ended. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const FOUND: readonly Omit<Finding, 'port' | 'promise'>[] = [
  { path: ['a unit', 'is whole, so it'], name: 'keeps all', outcome: 'kept' },
  {
    path: ['a unit', 'is whole, so it'],
    name: 'keeps nothing',
    outcome: 'broken',
    reason: 'Values differ:\n\n1 !== 2\n',
  },
  { path: ['a unit', 'is alone'], name: 'waits', outcome: 'gap', reason: 'There is one.' },
  { path: ['a reader'], name: 'reads', outcome: 'kept' },
];

describe('The command that tries an adapter', () => {
  /** Runs `petstore conformance …` on an adapter of which this is found. */
  async function conformance(found: typeof FOUND, ...words: string[]) {
    let [out, err] = ['', ''];
    const asked: (string | undefined)[] = [];
    const terminal = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exit: (code: number) => {
        throw new Exit(code);
      },
    };
    const trialsOf = async (adapter: string, only?: Subject): Promise<Trial[]> => {
      asked.push(adapter, only);
      const findings = async function* () {
        for (const finding of found) yield { ...finding, port: 'Storage', promise: 'src/storage.ts' };
      };
      return [{ name: 'It keeps its promises:', findings }];
    };
    const nothing = async () => expect.fail('This is another command.');
    const others = { version: '1.2.3', serve: nothing, audit: nothing, printDocument: nothing };
    const keys = { withKeyDesk: nothing, parseDateTime: () => undefined };
    const petstore = program({ ...others, keys, conformance: { trialsOf } }, terminal);
    const exit = await failureOf(petstore.parseAsync(['node', 'petstore', 'conformance', ...words]));
    if (!(exit instanceof Exit)) throw exit;
    return { code: exit.code, out, err, asked };
  }

  it('shows what was found under headings, with what is broken and where that is promised, and ends with 1', async () => {
    const { code, out } = await conformance(FOUND, '--adapter', './theirs.js');

    expect(code).to.equal(1);
    expect(out).to.equal(`
It keeps its promises:
  a unit
    is whole, so it
      ✔ keeps all
      ✖ keeps nothing
          Values differ:

          1 !== 2
          Contract: Storage, in src/storage.ts
    is alone
      – waits: There is one.
  a reader
    ✔ reads

Failed:
  ✖ a unit is whole, so it keeps nothing

2 checks passed, 1 failed, 1 skipped
`);
  });

  it('ends with 0 when nothing is broken', async () => {
    const { code, out } = await conformance(
      FOUND.filter(({ outcome }) => outcome !== 'broken'),
      '--adapter',
      'x',
    );

    expect(code).to.equal(0);
    expect(out)
      .to.match(/\n2 checks passed, 0 failed, 1 skipped\n$/)
      .and.to.not.include('Broken');
  });

  it('prints one JSON document for programs', async () => {
    const { code, out } = await conformance(FOUND, '--adapter', 'x', '--json');

    expect(code).to.equal(1);
    const findings = FOUND.map((finding) => ({ ...finding, port: 'Storage', promise: 'src/storage.ts' }));
    expect(JSON.parse(out)).to.deep.equal({
      suites: [{ name: 'It keeps its promises:', findings }],
      totals: { kept: 2, broken: 1, gap: 1 },
    });
  });

  it('asks for what it was told to try', async () => {
    expect((await conformance(FOUND, '--adapter', './a.js')).asked).to.deep.equal(['./a.js', undefined]);
    expect((await conformance(FOUND, '--adapter', 'b', '--only', 'rates')).asked).to.deep.equal(['b', 'rates']);
  });

  for (const words of [[], ['--adapter', 'x', '--only', 'pets']]) {
    it(`ends with 2 and one line for ${words.join(' ') || 'nothing'}`, async () => {
      const { code, out, err } = await conformance(FOUND, ...words);

      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.match(/^petstore: [^\n]+\n$/);
    });
  }
});

describe('What a module exports', () => {
  it('is tried as far as it is an adapter, or as far as it was asked for', () => {
    const rateLimiter = { open: async () => undefined };
    const exported = { storage: inMemory(), rateLimiter, other: 7 };
    const portsOf = (...asked: Parameters<typeof suitesFor>) =>
      suitesFor(...asked).map(({ checks }) => checks.at(-1)?.port);

    expect(portsOf('It', exported)).to.deep.equal(['Storage', 'RateLimiter']);
    expect(portsOf('It', exported, 'rateLimiter')).to.deep.equal(['RateLimiter']);
    expect(suitesFor('It', exported)[0]?.name).to.include('It');
  });

  const open = async () => undefined;
  for (const [what, exported, named] of [
    ['there is nothing', {}, 'storage, credentialVerifier or rateLimiter'],
    ['there is something else', { stock: 7 }, 'storage'],
    ['it is no object', { storage: open }, '{ open, gaps }'],
    ['it cannot be opened', { rateLimiter: { gaps: {} } }, 'rateLimiter'],
    ['a gap is unknown', { storage: { open, gaps: { swimming: 'A cat.' } } }, '"swimming"'],
    ['a gap has no reason', { storage: { open, gaps: { openAgain: ' ' } } }, '"openAgain"'],
  ] as const) {
    it(`is refused with one line when ${what}`, () => {
      expect(() => suitesFor('theirs.js', exported))
        .to.throw(AdapterUnusable, /^theirs\.js [^\n]+\.$/)
        .with.property('message')
        .that.includes(named);
    });
  }
});
