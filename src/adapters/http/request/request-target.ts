import { badParameter } from '../../../api/errors/api-error.ts';
import { HttpError } from '../http-error.ts';
import type { RequestHead } from './request-head.ts';

export interface RequestTarget {
  /** Undecoded, for links. */
  readonly rawPath: string;
  /** Percent-decoded, except for slashes, which would change the segments. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
}

/** Clients need fewer, and each takes time. Newer versions of Node refuse more of them; older ones omit them silently. */
export const TOO_MANY_HEADERS = 200;

/**
 * The target of a request (RFC 9112, section 3.2), with the checks that the parser does not make.
 * Nothing is derived from the Host header. @throws {HttpError} `malformed_request`, `uri_too_long`, `headers_too_large` or
 * `invalid_header`
 */
export function readTarget(request: RequestHead, longest: number): RequestTarget {
  const url = request.url ?? '';
  if (url.length > longest) {
    throw new HttpError('uri_too_long', `The request target has ${url.length} bytes; the limit is ${longest}.`);
  }
  if (request.rawHeaders.length >= 2 * TOO_MANY_HEADERS) {
    throw new HttpError('headers_too_large', `The request has ${TOO_MANY_HEADERS} header fields or more.`);
  }
  checkVersion(request);
  checkHost(request);
  checkSingle(request);
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw badParameter('invalid_header', 'Expect', 'Expect must be 100-continue.');
  }

  if (/[^\x21-\x7e]|[#<>"\\^`{|}]/.test(url))
    throw malformed('The request target contains characters that are not allowed in a URI; percent-encode them.');
  const origin = url.startsWith('/') || url === '*' ? url : fromAbsolute(url);
  const at = origin.indexOf('?');
  const rawPath = at < 0 ? origin : origin.slice(0, at);
  return { rawPath, path: decodePath(rawPath), query: at < 0 ? '' : origin.slice(at + 1) };
}

/**
 * The parser accepts other versions of HTTP, and transfer codings that this service does not decode. A client of HTTP/1.0
 * cannot use any coding (RFC 9112, section 6.1).
 */
function checkVersion({ httpVersion, headers }: RequestHead): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw faulty(`HTTP/${httpVersion} is not supported; only HTTP/1.1 is.`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    throw faulty('Transfer-Encoding must be chunked, and requires HTTP/1.1.');
  }
}

const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** RFC 9112, section 3.2: exactly one valid Host in HTTP/1.1. */
function checkHost({ rawHeaders, httpVersion, headers }: RequestHead): void {
  const hosts = timesOf('host', rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw faulty(`A request must have exactly one Host header; this one has ${hosts}.`);
  }
  if (hosts === 1 && !HOST.test(headers.host as string))
    throw faulty('The Host header is not a name or address with an optional port.');
}

/** Whether this is the only `Host` of the request, and one that RFC 9112 allows. */
export function isOneHost(host: string, rawHeaders: readonly string[]): boolean {
  return timesOf('host', rawHeaders) === 1 && HOST.test(host);
}

/** Node takes the first of these and omits the others; a proxy may have used another one. */
const SINGLE = [
  ['authorization', 'Authorization'],
  ['content-type', 'Content-Type'],
] as const;

/** RFC 9110, section 5.3: a field that is not a list must be sent only once. */
function checkSingle({ rawHeaders, headers }: RequestHead): void {
  for (const [name, shown] of SINGLE) {
    if (headers[name] === undefined || timesOf(name, rawHeaders) === 1) continue;
    throw badParameter('invalid_header', shown, `${shown} must be sent only once.`);
  }
}

/** `name` is in lower case. */
function timesOf(name: string, rawHeaders: readonly string[]): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string;
    if (given.length === name.length && given.toLowerCase() === name) times += 1;
  }
  return times;
}

function fromAbsolute(url: string): string {
  const match = /^https?:\/\/[^/?]+(\/.*|\?.*)?$/i.exec(url);
  if (!match) throw malformed('The request target is neither a path nor an http URI.');
  const rest = match[1] ?? '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    throw malformed('The path is not valid percent-encoded UTF-8.');
  }
}

/** After a request that cannot be parsed, the connection cannot be used for the next one. */
function faulty(message: string): HttpError {
  return new HttpError('malformed_request', message, { headers: ['Connection', 'close'] });
}

function malformed(message: string): HttpError {
  return new HttpError('malformed_request', message);
}
