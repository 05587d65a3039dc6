import { expect } from 'chai';
import { toApiError } from '../../src/api/errors/to-api-error.ts';
import { CredentialRequired, QuotaExceeded, ScopeMissing } from '../../src/application/access-control.ts';
import { APPLICATION_ERRORS } from '../../src/application/errors.ts';
import { KeyReused } from '../../src/application/idempotency.ts';
import { CredentialRefused, VerifierUnavailable } from '../../src/application/ports/credential-verifier.ts';
import { RequestInProgress } from '../../src/application/ports/idempotency-store.ts';
import { CommitInDoubt, StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import { sourceFiles } from '../architecture/layers.ts';

/** They end a command or the start of the service; `AlreadyExecuted` becomes the recorded response. */
const NOT_FOR_CLIENTS = ['AlreadyExecuted', 'KeyNotFound', 'KeyRefused', 'StoreWasUsed', 'StorageRefused'];

describe('The errors that leave the service', () => {
  it('include every error of the application, except those that no request can cause', () => {
    const declared = [...sourceFiles()]
      .filter(([name]) => name.startsWith('application/'))
      .flatMap(([, text]) => Array.from(text.matchAll(/^(?:export )?class (\w+?)(?:Class)? extends (\w+)/gm)))
      .filter(([, , base = '']) => base === 'Error' || base in APPLICATION_ERRORS)
      .map(([, name]) => name);

    expect(declared).to.have.members([...Object.keys(APPLICATION_ERRORS), ...NOT_FOR_CLIENTS]);
  });

  const allowance = { allowed: false, remainders: [] };
  for (const [error, code, retryAfter] of [
    [new CommitInDoubt('Lost.'), 'unavailable', 1],
    [new StorageUnavailable('Away.'), 'unavailable', 1],
    [new VerifierUnavailable('Away.'), 'unavailable', 1],
    [new RequestInProgress('Busy.'), 'idempotency_key_in_progress', 1],
    [new KeyReused(), 'idempotency_key_reused', undefined],
    [new CredentialRequired(), 'unauthenticated', undefined],
    [new CredentialRefused('expired', 'The key has expired.'), 'unauthenticated', undefined],
    [new ScopeMissing('admin'), 'insufficient_scope', undefined],
    [new QuotaExceeded(allowance), 'rate_limited', 1],
    [new TypeError('A bug.'), 'internal_error', undefined],
  ] as const) {
    it(`have the code ${code} for ${error.name}`, () => {
      expect(toApiError(error)).to.include({ code, retryAfter });
    });
  }

  it('distinguish a commit in doubt from a storage that did nothing', () => {
    expect(toApiError(new CommitInDoubt('Lost.')).message).to.include('it is unknown whether the change was saved');
    expect(toApiError(new StorageUnavailable('Away.')).message).to.include('nothing was changed');
  });

  it('do not reveal the message of an unexpected error', () => {
    expect(toApiError(new Error('select * from secrets')).message).not.to.include('secrets');
  });
});
