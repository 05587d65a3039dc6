import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpError } from '../http-error.ts';

/*
 * When a connection is closed while bytes of the client are unread, the system resets it, and a client that is still writing
 * may never see the response. So what remains of a request is read and discarded first, within these bounds.
 */

/** In milliseconds. */
const LINGER_MS = 5_000;

/** More than the largest body that is accepted by default, three times over. */
const LINGER_BYTES = 16 * 1024 * 1024;

/** Whether the client has not sent its whole request yet. The parser reports the end of a request without a body later. */
export function isStillSending({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * Ends a response when the client has sent its whole request: the response itself was written before, so that the client can
 * stop. The connection of a client that keeps sending is destroyed.
 */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  if (unreadable.has(socket)) {
    closeAfterClient(socket);
    return;
  }
  let bytes = 0;
  const stop = () => {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', cutOff);
  };
  const onEnd = () => {
    stop();
    response.end();
  };
  const cutOff = () => {
    stop();
    response.end(() => socket.destroySoon());
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) cutOff();
  };
  const timer = setTimeout(cutOff, LINGER_MS).unref();
  request.on('data', onData).once('end', onEnd).once('close', cutOff);
  // The rest of it may be malformed, or take too long.
  request.on('error', () => {
    stop();
    closeAfterClient(socket);
  });
  request.resume();
}

/** How many bytes had been read from a connection when the parser reported its first fault. Every later report on it is a consequence. */
const unreadable = new WeakMap<Socket, number>();

/** Records a fault of the parser. Returns whether it is the first one on the connection; the others are ignored. */
export function isFirstFault(socket: Socket): boolean {
  const readBefore = unreadable.get(socket);
  if (readBefore === undefined) unreadable.set(socket, socket.bytesRead);
  else if (socket.bytesRead - readBefore > LINGER_BYTES) socket.destroy();
  return readBefore === undefined;
}

/** The first fault of the parser on a connection: for a body that nothing was reading at that time. */
export const firstFaults = new WeakMap<Socket, HttpError>();

/** Ends this side of a connection on which no request is read any more, and closes it when the client has ended its side. */
export function closeAfterClient(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
