import { expect } from 'chai';
import { AdapterUnusable, registerSuites, type Subject } from '../../src/conformance/suites.ts';
import { checksOf } from './collected-checks.ts';
import { inMemory } from './mutants/mutant-storage.ts';

const registered = (exported: object, only?: Subject) =>
  checksOf((test) => registerSuites('theirs.js', exported, only, test));

describe('The suites for the exports of a module', () => {
  const open = async () => undefined;

  it('are those of its adapters, or the one that is asked for', () => {
    const exported = { storage: inMemory(), clock: { open }, other: 7 };
    const headingsOf = (only?: Subject) => [...new Set(registered(exported, only).map(({ path }) => path[0]))];

    expect(headingsOf()).to.deep.equal(['a storage', 'a storage that is not open yet', 'Clock']);
    expect(headingsOf('clock')).to.deep.equal(['Clock']);
  });

  for (const [what, exported, named] of [
    ['there is nothing', {}, 'storage, credentialVerifier, rateLimiter, clock, log or secrets'],
    ['there is something else', { stock: 7 }, 'storage'],
    ['it is no object', { storage: open }, '{ open, gaps }'],
    ['it cannot be opened', { rateLimiter: { gaps: {} } }, 'rateLimiter'],
    ['a gap is unknown', { storage: { open, gaps: { swimming: 'A cat.' } } }, '"swimming"'],
    ['a gap is declared where none is possible', { log: { open, gaps: { level: 'None.' } } }, 'none'],
    ['a gap has no reason', { storage: { open, gaps: { openAgain: ' ' } } }, '"openAgain"'],
  ] as const) {
    it(`are refused with one line when ${what}`, () => {
      expect(() => registered(exported))
        .to.throw(AdapterUnusable, /^theirs\.js [^\n]+\.$/)
        .with.property('message')
        .that.includes(named);
    });
  }
});
