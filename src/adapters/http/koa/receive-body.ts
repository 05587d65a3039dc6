import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMemoryBudget, IncomingBody } from '../handler/body-memory-budget.ts';
import { ClientGone, tooLarge } from '../handler/body-reader.ts';
import { HttpError } from '../http-error.ts';
import { firstFaults } from './lingering.ts';

/**
 * Reads the whole body, up to a limit. `Expect: 100-continue` is answered here, once the body is needed.
 * @throws {HttpError} `payload_too_large` as soon as that is known, `unavailable`, `request_timeout`, `malformed_request`, or
 * {@link ClientGone}
 */
export async function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  room: BodyMemoryBudget,
): Promise<Uint8Array> {
  if (request.readableEnded) throw new Error('The body was read before the operation, by middleware.');
  if (request.destroyed) throw new ClientGone();
  // The parser may have found one while a credential was verified.
  const fault = request.complete ? undefined : firstFaults.get(request.socket);
  if (fault) throw fault;
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  // A client of HTTP/1.0 would take it for the final response (RFC 9110, section 10.1.1).
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
  return await collect(request, limit, room);
}

/** Into one growing buffer: a body that arrives byte by byte must not cost one object per byte. */
function collect(request: IncomingMessage, limit: number, room: BodyMemoryBudget): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(1024);
    let size = 0;
    const giveUp = (reason: Error) => {
      request.off('data', onData);
      room.release(body);
      reject(reason);
    };
    const body: IncomingBody = { bytes: 0, evict: giveUp };
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      if (end > limit) {
        giveUp(tooLarge(limit));
        return;
      }
      if (end > buffer.length) {
        const length = Math.min(Math.max(end, 2 * buffer.length), limit);
        if (!room.reserve(body, length)) return;
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
      room.complete(body, size, () => resolve(whole));
    });
    request.once('error', (error) => giveUp(error instanceof HttpError ? error : new ClientGone()));
    request.once('close', () => {
      if (!request.readableEnded) giveUp(new ClientGone());
    });
  });
}
