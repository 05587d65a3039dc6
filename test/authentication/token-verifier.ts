import { JwtVerifier } from '../../src/adapters/jwt/jwt-verifier.ts';
import { ALGORITHMS, type JwtSettings, KEY_FETCH, type KeyFetchPolicy } from '../../src/adapters/jwt/settings.ts';
import { CredentialRefused } from '../../src/application/ports/credential-verifier.ts';
import { FixedClock } from '../../src/conformance/fixed-clock.ts';
import { failureOf } from '../support/promises.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { TokenIssuer } from '../support/token-issuer.ts';

/** An issuer of tokens and their verifier with a common clock, for each test of the current suite. */
export function tokenVerifier(): TokenVerifierSetup {
  const setup = new TokenVerifierSetup();
  beforeEach(() => setup.open());
  afterEach(() => setup.issuer.close());
  return setup;
}

export class TokenVerifierSetup {
  #issuer: TokenIssuer | undefined;
  #verifier: JwtVerifier | undefined;
  clock = new FixedClock();
  log = new RecordingLog();

  async open(): Promise<void> {
    this.clock = new FixedClock();
    this.log = new RecordingLog();
    this.#issuer = await TokenIssuer.open(() => this.clock.now());
    this.set();
  }

  get issuer(): TokenIssuer {
    if (!this.#issuer) throw new Error('There is an issuer in tests and hooks only.');
    return this.#issuer;
  }

  get verifier(): JwtVerifier {
    if (!this.#verifier) throw new Error('There is a verifier in tests and hooks only.');
    return this.#verifier;
  }

  /** Replaces the verifier by one with these settings. */
  set(settings: Partial<JwtSettings> = {}, fetching: Partial<KeyFetchPolicy> = {}): void {
    const { name, audience, url } = this.issuer;
    const usual = {
      issuer: name,
      audience,
      keys: { url },
      algorithms: ALGORITHMS,
      clockTolerance: 0,
      maxCacheAge: 600,
    };
    this.#verifier = new JwtVerifier({ ...usual, ...settings }, this.clock, this.log, { ...KEY_FETCH, ...fetching });
  }

  /** Advances the clock, in seconds. */
  wait(seconds: number): void {
    this.clock.set(this.clock.now() + seconds * 1000);
  }

  /** The name of the caller of a valid token. */
  async holderOf(token: string): Promise<string | undefined> {
    return (await this.verifier.verify(token))?.name;
  }

  /** The reason and the message of a refusal. */
  async refusalOf(token: string): Promise<string> {
    const failure = await failureOf(this.verifier.verify(token));
    if (!(failure instanceof CredentialRefused)) throw failure;
    return `${failure.reason}: ${failure.message}`;
  }
}
