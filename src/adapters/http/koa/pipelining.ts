import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait for the responses before them. Each of them takes memory. */
export interface PipeliningLimits {
  /** On one connection: the socket is paused until they are answered. One chunk that was read already may contain more. */
  readonly perConnection: number;
  /** On all connections together. Beyond it, a connection that exceeds its own limit is destroyed. */
  readonly inTotal: number;
}

const PIPELINING_LIMITS: PipeliningLimits = { perConnection: 10, inTotal: 10_000 };

/** The requests of a connection that arrived before the response to their predecessor was sent. */
interface Queue {
  last: ServerResponse | undefined;
  length: number;
}

/**
 * Serves pipelined requests (RFC 9112, section 9.3.2) one after the other: Node would serve them concurrently, and a later
 * request may depend on the effect of an earlier one. Between two of them, other connections are served.
 */
export function serializeRequests(
  listener: RequestListener,
  limits: PipeliningLimits = PIPELINING_LIMITS,
): RequestListener {
  const queues = new WeakMap<Socket, Queue>();
  let waiting = 0;

  function queueOn(socket: Socket): Queue {
    const queue: Queue = { last: undefined, length: 0 };
    queues.set(socket, queue);
    // A response that was never begun emits no event.
    socket.once('close', () => {
      waiting -= queue.length;
      queue.length = 0;
    });
    // Node resumes the socket when a request is complete.
    socket.on('resume', () => {
      if (queue.length >= limits.perConnection) socket.pause();
    });
    return queue;
  }

  return (request, response) => {
    const { socket } = request;
    // Node assigns the socket to a response when its turn has come.
    const known = response.socket ? undefined : queues.get(socket);
    const before = response.socket ? undefined : (known?.last ?? responseInProgress(socket));
    if (!before) {
      listener(request, response);
      return;
    }
    const queue = known ?? queueOn(socket);
    if (waiting >= limits.inTotal && queue.length >= limits.perConnection) socket.destroy();
    if (socket.destroyed) return;
    queue.last = response;
    queue.length += 1;
    waiting += 1;
    if (queue.length >= limits.perConnection) socket.pause();
    before.once('close', () => {
      if (socket.destroyed) return;
      queue.length -= 1;
      waiting -= 1;
      if (queue.length === 0) {
        queue.last = undefined;
        socket.resume();
      }
      setImmediate(() => {
        if (!socket.destroyed) listener(request, response);
      });
    });
  };
}

/** Calls `action` when all responses that are due on the connection have been sent. */
export function afterPendingResponses(socket: Socket, action: () => void): void {
  const response = responseInProgress(socket);
  if (response) response.once('close', () => afterPendingResponses(socket, action));
  else action();
}

/** The current request of the connection, if its body is being read: the reader listens for its end and for errors. */
export function requestBeingRead(socket: Socket): IncomingMessage | undefined {
  const response = responseInProgress(socket);
  if (!response) return undefined;
  const request: IncomingMessage = response.req;
  return !request.complete && request.listenerCount('error') > 0 ? request : undefined;
}

function responseInProgress(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
