import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import type { Algorithm } from '../../src/adapters/jwt/settings.ts';

export interface SigningKey {
  readonly alg: Algorithm;
  readonly kid: string | undefined;
  readonly secret: JWK;
  /** A key as an issuer publishes it. */
  readonly published: JWK;
}

export interface TokenWish {
  /** Claims that replace the usual ones; one that is `undefined` is omitted. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly by?: SigningKey;
}

/** An RSA key takes long to create, and one suffices for all its algorithms. */
let rsa: Promise<JWK> | undefined;

export async function makeKey(alg: Algorithm, kid?: string): Promise<SigningKey> {
  const make = async () => exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey);
  const secret = await (/^[RP]S/.test(alg) ? (rsa ??= make()) : make());
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = secret;
  return { alg, kid, secret, published: { ...open, alg, use: 'sig', ...(kid !== undefined && { kid }) } };
}

/** An issuer that signs tokens, and publishes its keys on a free local port. */
export class TokenIssuer {
  readonly name = 'https://login.example';
  readonly audience = 'petstore';
  /** Handles a request for its keys. By default it publishes {@link keys}. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  keys: readonly SigningKey[] = [];
  /** The number of requests for its keys. */
  asked = 0;
  readonly #now: () => number;
  readonly #server: Server;

  private constructor(now: () => number) {
    this.#now = now;
    this.#server = createServer((request, response) => {
      this.asked += 1;
      if (this.answer) return this.answer(request, response);
      response.setHeader('Content-Type', 'application/jwk-set+json').end(this.document);
    });
  }

  /** `now` returns the time of issue of its tokens, in milliseconds. */
  static async open(now: () => number): Promise<TokenIssuer> {
    const issuer = new TokenIssuer(now);
    issuer.keys = [await makeKey('ES256', 'first')];
    issuer.#server.listen(0, '127.0.0.1');
    await once(issuer.#server, 'listening');
    return issuer;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
  }

  /** Its published keys. */
  get document(): string {
    return JSON.stringify({ keys: this.keys.map(({ published }) => published) });
  }

  /** A token that is valid for a minute, signed with its first key. */
  async sign({ claims, header, by = this.keys[0] }: TokenWish = {}): Promise<string> {
    if (!by) throw new Error('There is no key to sign with.');
    const named = { alg: by.alg, ...(by.kid !== undefined && { kid: by.kid }), ...header } as JWTHeaderParameters;
    return new SignJWT(this.claims(claims)).setProtectedHeader(named).sign(await importJWK(by.secret, named.alg));
  }

  /** The claims of its tokens. */
  claims(others: TokenWish['claims'] = {}): Record<string, unknown> {
    const now = Math.floor(this.#now() / 1000);
    const { name: iss, audience: aud } = this;
    return { iss, aud, sub: 'alice', exp: now + 60, scope: 'pets:read', ...others };
  }
}

export function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
