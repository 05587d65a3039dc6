import { expect } from 'chai';
import { CLOCK_CAPABILITIES } from '../../src/conformance/clock-suite.ts';
import { VERIFIER_CAPABILITIES } from '../../src/conformance/credential-suite.ts';
import { LIMITER_CAPABILITIES } from '../../src/conformance/rate-limiter-under-test.ts';
import { STORAGE_CAPABILITIES } from '../../src/conformance/storage/storage-under-test.ts';
import { coded, pageText, rowsOf } from './pages.ts';

describe('The page about adapters', () => {
  it('has what may be exported to the kit, and every gap that may be declared', () => {
    const rows = rowsOf(pageText('docs/adapters.md'), 'a module exports', 'type', 'suite', 'possible gaps');

    expect(rows.map(([exported = '', , , gaps = '']) => [coded(exported), coded(gaps)])).to.deep.equal([
      [['storage'], STORAGE_CAPABILITIES],
      [['credentialVerifier'], VERIFIER_CAPABILITIES],
      [['rateLimiter'], LIMITER_CAPABILITIES],
      [['clock'], CLOCK_CAPABILITIES],
      [['log'], []],
      [['secrets'], []],
    ]);
  });

  it('shows an export that passes the conformance suite', () => {
    const [, shown] = /```typescript\n(.*?)```/s.exec(pageText('docs/adapters.md')) ?? [];
    const [, run] = /^(?:import .*\n)+\n(.*)$/s.exec(pageText('test/conformance/adapters/whole.ts')) ?? [];

    expect(run).to.be.a('string').and.to.equal(shown);
  });
});
