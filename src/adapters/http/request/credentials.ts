import { HttpError } from '../http-error.ts';
import type { RequestHead } from './request-head.ts';

/** No identity provider issues longer ones. */
const LONGEST = 8 * 1024;

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const KEY = /^[\x21-\x7e]+$/;

/**
 * The credential of a request: a bearer token (RFC 6750, section 2.1) or the value of `X-API-Key`; `undefined` if there is none.
 * @throws {HttpError} `unauthenticated` if it is malformed
 */
export function credentialOf({ headers }: RequestHead): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  if (authorization === undefined && key === undefined) return undefined;
  if (authorization !== undefined && key !== undefined) {
    throw unauthenticated('Send one credential, either Authorization or X-API-Key.');
  }
  const credential = authorization === undefined ? KEY.exec(String(key))?.[0] : BEARER.exec(authorization)?.[1];
  if (credential === undefined || credential.length > LONGEST) {
    throw unauthenticated(
      'The credential is malformed: send Authorization: Bearer followed by the credential, or X-API-Key.',
    );
  }
  return credential;
}

/** 401 with a challenge (RFC 6750, section 3); `invalid_token` only where a credential was sent. */
export function unauthenticated(message: string, sent = true): HttpError {
  const challenge = `Bearer realm="petstore"${sent ? ', error="invalid_token"' : ''}`;
  return new HttpError('unauthenticated', message, { headers: ['WWW-Authenticate', challenge] });
}
