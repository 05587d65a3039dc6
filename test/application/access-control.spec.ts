import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  AccessControl,
  authorize,
  CredentialRequired,
  QuotaExceeded,
  ScopeMissing,
} from '../../src/application/access-control.ts';
import {
  type Caller,
  CredentialRefused,
  type CredentialVerifier,
} from '../../src/application/ports/credential-verifier.ts';
import type { Allowance, RateLimiter } from '../../src/application/ports/rate-limiter.ts';
import { failureOf } from '../support/promises.ts';

const GUEST: Caller = { name: 'acme:guest', scopes: new Set(['pets:read']) };

/** Accepts one word. */
const verifier: CredentialVerifier = {
  async verify(credential) {
    if (credential === 'sesame') return GUEST;
    if (credential.startsWith('sesa')) throw new CredentialRefused('unknown', 'That is not the word.');
    return undefined;
  },
};

/** Allows each client two requests, and remembers which were counted. */
function limiterOfTwo(): RateLimiter & { readonly counted: string[] } {
  const policy = { name: 'two', quota: 2, window: 60 };
  const counted: string[] = [];
  const allowanceOf = (client: string, more: number): Allowance => {
    const left = 2 - counted.filter((other) => other === client).length - more;
    return { allowed: left >= 0, remainders: [{ policy, left: Math.max(left, 0), reset: 60 }] };
  };
  return {
    policies: [policy],
    counted,
    async take(client, kind) {
      const allowance = allowanceOf(`${kind} ${client}`, 1);
      counted.push(`${kind} ${client}`);
      return allowance;
    },
    look: async (client, kind) => allowanceOf(`${kind} ${client}`, 0),
    close: async () => undefined,
  };
}

describe('Access control', () => {
  it('lets every caller do everything while authentication is off, without waiting', () => {
    const access = new AccessControl({ verifiers: [], limiter: undefined });

    const admittance = access.admit(undefined, '192.0.2.1');

    expect(admittance).to.not.be.instanceOf(Promise);
    expect(authorize(admittance as Awaited<typeof admittance>, 'admin').name).to.equal('anonymous');
  });

  it('identifies the caller and its scopes', async () => {
    const access = new AccessControl({ verifiers: [verifier], limiter: undefined });

    const admittance = await access.admit('sesame', '192.0.2.1');

    expect(authorize(admittance, 'pets:read')).to.equal(GUEST);
    expect(() => authorize(admittance, 'store:read')).to.throw(ScopeMissing, 'store:read');
  });

  it('refuses a missing, a wrong and an unknown credential', async () => {
    const access = new AccessControl({ verifiers: [verifier], limiter: undefined });

    const [missing, wrong, unknown] = [
      await access.admit(undefined, '192.0.2.1'),
      await access.admit('sesa', '192.0.2.1'),
      await access.admit('open up', '192.0.2.1'),
    ];

    expect(() => authorize(missing, 'pets:read')).to.throw(CredentialRequired);
    expect(() => authorize(wrong, 'pets:read')).to.throw(CredentialRefused, 'That is not the word.');
    expect(() => authorize(unknown, 'pets:read')).to.throw(CredentialRefused, 'not accepted');
  });

  it('counts the requests of a caller, and those of an address without a good credential', async () => {
    const limiter = limiterOfTwo();
    const access = new AccessControl({ verifiers: [verifier], limiter });

    for (const credential of ['sesame', 'sesame', undefined, 'sesa']) await access.admit(credential, '192.0.2.1');

    const [guess, third] = [await access.admit('sesa', '192.0.2.1'), await access.admit('sesame', '192.0.2.1')];
    expect(limiter.counted).to.deep.equal([
      'caller acme:guest',
      'caller acme:guest',
      'address 192.0.2.1',
      'address 192.0.2.1',
      'caller acme:guest',
    ]);
    for (const refused of [guess, third]) expect(() => authorize(refused, 'pets:read')).to.throw(QuotaExceeded);
  });

  it('remembers the last thousand good credentials, which guesses from the same address do not affect', async () => {
    const everyWord: CredentialVerifier = { verify: async (word) => ({ ...GUEST, name: `acme:${word}` }) };
    const access = new AccessControl({ verifiers: [everyWord], limiter: limiterOfTwo() });
    for (let word = 0; word < 1000; word++) await access.admit(`${word}`, `address of ${word}`);
    // Credentials of the same turn of the event loop are remembered apart.
    await setImmediate();
    await access.admit('0', 'address of 0');
    await access.admit('1000', 'address of 1000');
    await setImmediate();
    for (let request = 0; request < 2; request++) await access.admit(undefined, '192.0.2.1');

    const [forgotten, remembered] = [await access.admit('1', '192.0.2.1'), await access.admit('2', '192.0.2.1')];

    expect(() => authorize(forgotten, 'pets:read')).to.throw(QuotaExceeded);
    expect(authorize(remembered, 'pets:read').name).to.equal('acme:2');
  });

  it('counts the requests of an address while authentication is off', async () => {
    const limiter = limiterOfTwo();
    const access = new AccessControl({ verifiers: [], limiter });

    await access.admit(undefined, '192.0.2.1');
    await access.countAgainstQuota('192.0.2.1');

    const third = access.admit(undefined, '192.0.2.1');
    expect(await failureOf(Promise.resolve(third).then((found) => authorize(found, 'admin')))).to.be.instanceOf(
      QuotaExceeded,
    );
    expect((await access.admit(undefined, '192.0.2.2')).allowance).to.include({ allowed: true });
  });
});
