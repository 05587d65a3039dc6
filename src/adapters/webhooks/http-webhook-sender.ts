import { lookup as lookUp } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type WebhookMessage, type WebhookResponse, WebhookSender } from '../../application/ports/webhook-sender.ts';
import { isPublicAddress } from './public-address.ts';

export interface WebhookSenderSettings {
  /** Whether receivers may be on this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** How long one attempt may take, in milliseconds. */
  readonly timeout?: number;
  /** Resolves host names. */
  readonly lookup?: LookupFunction;
}

/** So much of a response is read, so that its connection can be used again. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** An idle connection is closed after this time, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Sends webhooks with Node's HTTP client. The client asks {@link HttpWebhookSender.#lookup} for the addresses of a host and connects to
 * one of those, so a name cannot have one address when it is checked and another when it is used (DNS rebinding). It does not ask
 * for a host that is written as an address; that is checked before.
 */
export class HttpWebhookSender extends WebhookSender {
  readonly #timeout: number;
  readonly #allowPrivate: boolean;
  readonly #resolve: LookupFunction;
  readonly #http = new HttpAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS });

  constructor({ allowPrivate, timeout = 15_000, lookup = lookUp }: WebhookSenderSettings) {
    super();
    this.#allowPrivate = allowPrivate;
    this.#timeout = timeout;
    this.#resolve = lookup;
  }

  async send(message: WebhookMessage, signal: AbortSignal): Promise<WebhookResponse> {
    const time = AbortSignal.timeout(this.#timeout);
    try {
      const response = await this.#request(message, AbortSignal.any([signal, time]));
      discard(response);
      return { status: response.statusCode ?? 0 };
    } catch (error) {
      if (signal.aborted) return { error: 'The delivery was interrupted.' };
      return { error: time.aborted ? `No response within ${this.#timeout / 1000} s.` : sentenceAbout(error) };
    }
  }

  async close(): Promise<void> {
    this.#http.destroy();
    this.#https.destroy();
  }

  /** A receiver may close an idle connection at the moment when it is used again. */
  async #request(message: WebhookMessage, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await this.#requestOnce(message, signal, true);
    } catch (error) {
      if (!(error instanceof ReusedConnectionLost) || signal.aborted) throw error;
      return this.#requestOnce(message, signal, false);
    }
  }

  async #requestOnce(
    { url, id, at, body, secrets }: WebhookMessage,
    signal: AbortSignal,
    mayReuse: boolean,
  ): Promise<IncomingMessage> {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) this.#assertAllowed(host, host);
    const isSecure = target.protocol === 'https:';
    const send = isSecure ? requestHttps : requestHttp;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = send(target, {
      method: 'POST',
      agent: mayReuse && (isSecure ? this.#https : this.#http),
      lookup: this.#lookup,
      signal,
      headers: {
        'Content-Type': 'application/cloudevents+json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'petstore-service',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body)).join(' '),
      },
    });
    request.on('response', resolve);
    // It may also fail after the response began.
    request.on('error', (error) => reject(request.reusedSocket ? new ReusedConnectionLost(error) : error));
    request.end(body);
    return promise;
  }

  /** Refuses a host if one of its addresses is not allowed, whichever of them would be used. */
  readonly #lookup: LookupFunction = (host, options, callback) => {
    this.#resolve(host, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      try {
        for (const each of Array.isArray(found) ? found : [{ address: found }]) this.#assertAllowed(each.address, host);
      } catch (refused) {
        return callback(refused as Error, found, family);
      }
      callback(null, found, family);
    });
  };

  /** @throws {AddressRefused} */
  #assertAllowed(address: string, host: string): void {
    if (!this.#allowPrivate && !isPublicAddress(address)) throw new AddressRefused(host);
  }
}

class ReusedConnectionLost extends Error {
  constructor(cause: Error) {
    super('A connection that had been used before was lost.', { cause });
  }
}

class AddressRefused extends Error {
  constructor(host: string) {
    super(`The host ${host} is not on the public internet; deliveries to such addresses are refused.`);
  }
}

/** What is left of the response matters only for the connection, which ends with a response that is long or slow. */
function discard(response: IncomingMessage): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) response.destroy();
  });
  response.on('error', () => response.destroy());
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the host cannot be resolved.',
  EAI_AGAIN: 'The name of the host cannot be resolved at the moment.',
  ECONNREFUSED: 'The host refused the connection.',
  ECONNRESET: 'The connection was closed without a response.',
  ETIMEDOUT: 'The connection could not be opened in time.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
};

function sentenceAbout(error: unknown): string {
  if (error instanceof ReusedConnectionLost) return sentenceAbout(error.cause);
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/EPROTO|CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code))
    return `The TLS connection could not be opened (${code}).`;
  return SENTENCES[code] ?? `The request failed${code && ` (${code})`}.`;
}
