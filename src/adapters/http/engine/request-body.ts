import type { IncomingMessage } from 'node:http';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../api/media-types.ts';
import type { Operation } from '../../../api/operation.ts';
import { HttpError } from '../http-error.ts';
import { readJson } from '../protocol/json.ts';
import { readableType } from '../protocol/negotiation.ts';
import type { BodyRoom, IncomingBody } from './body-room.ts';
import type { Exchange } from './exchange.ts';
import type { Load } from './load.ts';

/** A body beyond so many bytes waits for a turn of its own before it is read as JSON. */
const LARGE = 64 * 1024;

/** Reads the body of an operation's requests as the JSON value that it is. @throws {HttpError} or {@link ClientGone} */
export function bodyReader({ method }: Operation, limit: number, load: Load): (exchange: Exchange) => Promise<unknown> {
  const types = method === 'patch' ? [JSON_TYPE, MERGE_PATCH_TYPE] : [JSON_TYPE];
  const headers = method === 'patch' ? ['Accept-Patch', types.join(', ')] : ['Accept', types.join(', ')];
  return async (exchange) => {
    const { 'content-type': type, 'content-encoding': coding = 'identity' } = exchange.request.headers;
    const isTyped = types.includes(readableType(type) ?? '') || (type === undefined && isEmpty(exchange));
    if (!isTyped || coding.toLowerCase() !== 'identity') {
      const given = type === undefined ? 'None was given' : `Not ${JSON.stringify(type.slice(0, 100))}`;
      const coded = coding === 'identity' ? '' : ` in the coding ${JSON.stringify(coding.slice(0, 40))}`;
      throw new HttpError(
        'unsupported_media_type',
        `${given}${coded}: the body must be ${types.join(' or ')} in UTF-8.`,
        {
          headers,
        },
      );
    }
    const bytes = await readBody(exchange, limit, load.bodies);
    // While it waited for its turn, others may have made the process late.
    if (bytes.length > LARGE) load.mustHaveRoom();
    return readJson(bytes);
  };
}

/** A request without any body has no type that could be wrong: it lacks the body. */
function isEmpty({ request: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/**
 * Reads the whole body, up to a limit. `Expect: 100-continue` is answered here, when the body is really wanted.
 * @throws {HttpError} `payload_too_large`, as soon as that is known, `unavailable`, `request_timeout`, `malformed_request`, or
 * {@link ClientGone}
 */
async function readBody({ request, response }: Exchange, limit: number, room: BodyRoom): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  // Not to a client of HTTP/1.0, which would take it for the answer (RFC 9110, section 10.1.1).
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
  return await collect(request, limit, room);
}

/** The client went away before its request was complete; nobody is there to be answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Into one growing buffer: a body that trickles in byte by byte must not cost an object a byte. */
function collect(request: IncomingMessage, limit: number, room: BodyRoom): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(1024);
    let size = 0;
    const giveUp = (reason: Error) => {
      request.off('data', onData);
      room.leave(body);
      reject(reason);
    };
    const body: IncomingBody = { held: 0, giveUp };
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      if (end > limit) {
        giveUp(tooLarge(limit));
        return;
      }
      if (end > buffer.length) {
        const length = Math.min(Math.max(end, 2 * buffer.length), limit);
        if (!room.hold(body, length)) return;
        const larger = Buffer.allocUnsafe(length);
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      chunk.copy(buffer, size);
      size = end;
    };
    request.on('data', onData);
    request.once('end', () => {
      const whole = buffer.subarray(0, size);
      if (size > LARGE) room.leaveInTurn(body, () => resolve(whole));
      else {
        room.leave(body);
        resolve(whole);
      }
    });
    request.once('error', (error) => giveUp(error instanceof HttpError ? error : new ClientGone()));
    request.once('close', () => {
      if (!request.readableEnded) giveUp(new ClientGone());
    });
  });
}

function tooLarge(limit: number): HttpError {
  return new HttpError('payload_too_large', `The body exceeds the limit of ${limit} bytes.`);
}
