import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait for the answers before them. Each of them takes memory. */
export interface PipeliningLimits {
  /** On a connection, before nothing more is read from it until they are answered. What was read at once may hold more. */
  readonly onEach: number;
  /** On all connections together. While there are more, a connection that has more than its share of them is cut. */
  readonly onAll: number;
}

const PIPELINING_LIMITS: PipeliningLimits = { onEach: 10, onAll: 10_000 };

/** The requests of a connection that came before the answer to the one in front of them. */
interface Line {
  last: ServerResponse | undefined;
  length: number;
}

/**
 * Serves what a client sends without waiting for the answers before it (RFC 9112, section 9.3.2) one after the other: Node
 * would serve all of it at once, and a later request may depend on what an earlier one does. Between two of them everybody
 * else has a turn.
 */
export function serializeRequests(
  listener: RequestListener,
  room: PipeliningLimits = PIPELINING_LIMITS,
): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  let ahead = 0;

  function lineOn(socket: Socket): Line {
    const line: Line = { last: undefined, length: 0 };
    lines.set(socket, line);
    // Answers that were never begun do not say that they never will be.
    socket.once('close', () => {
      ahead -= line.length;
      line.length = 0;
    });
    // Node reads on whenever a request is complete.
    socket.on('resume', () => {
      if (line.length >= room.onEach) socket.pause();
    });
    return line;
  }

  return (request, response) => {
    const { socket } = request;
    // An answer has its connection when it is its turn.
    const known = response.socket ? undefined : lines.get(socket);
    const before = response.socket ? undefined : (known?.last ?? responseInProgress(socket));
    if (!before) {
      listener(request, response);
      return;
    }
    const line = known ?? lineOn(socket);
    if (ahead >= room.onAll && line.length >= room.onEach) socket.destroy();
    if (socket.destroyed) return;
    line.last = response;
    line.length += 1;
    ahead += 1;
    if (line.length >= room.onEach) socket.pause();
    before.once('close', () => {
      if (socket.destroyed) return;
      line.length -= 1;
      ahead -= 1;
      if (line.length === 0) {
        line.last = undefined;
        socket.resume();
      }
      setImmediate(() => {
        if (!socket.destroyed) listener(request, response);
      });
    });
  };
}

/** Does something when every answer has been given that is due on the connection. */
export function afterPendingResponses(socket: Socket, act: () => void): void {
  const answer = responseInProgress(socket);
  if (answer) answer.once('close', () => afterPendingResponses(socket, act));
  else act();
}

/** The request whose turn it is on the connection, if somebody is reading its body, and waits to hear of its end or of an error. */
export function requestBeingRead(socket: Socket): IncomingMessage | undefined {
  const answer = responseInProgress(socket);
  if (!answer) return undefined;
  const request: IncomingMessage = answer.req;
  return !request.complete && request.listenerCount('error') > 0 ? request : undefined;
}

function responseInProgress(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
