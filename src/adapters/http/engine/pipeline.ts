import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than this nobody sends ahead in good faith, and each of them takes memory. */
const MOST_AHEAD = 10_000;

/** The requests of a connection that came before the answer to the one in front of them. */
interface Line {
  last: ServerResponse;
  length: number;
}

/**
 * Serves what a client sends without waiting for the answers before it (RFC 9112, section 9.3.2) one after the other: Node
 * would serve all of it at once, and a later request may depend on what an earlier one does.
 */
export function oneByOne(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    // An answer has its connection when it is its turn.
    const line = response.socket ? undefined : lines.get(socket);
    const before = response.socket ? undefined : (line?.last ?? answerUnderWay(socket));
    if (!before) {
      listener(request, response);
      return;
    }
    if (line && line.length >= MOST_AHEAD) {
      socket.destroy();
      return;
    }
    const longer = line ?? { last: response, length: 0 };
    longer.last = response;
    longer.length += 1;
    lines.set(socket, longer);
    before.once('close', () => {
      longer.length -= 1;
      if (longer.length === 0) lines.delete(socket);
      if (!socket.destroyed) listener(request, response);
    });
  };
}

/** Does something when every answer has been given that is due on the connection. */
export function afterAnswers(socket: Socket, act: () => void): void {
  const answer = answerUnderWay(socket);
  if (answer) answer.once('close', () => afterAnswers(socket, act));
  else act();
}

/** Whether all that has been done so far about the request that is being answered is to read its body. */
export function isReadingBody(socket: Socket): boolean {
  const answer = answerUnderWay(socket);
  if (!answer) return false;
  const request: IncomingMessage = answer.req;
  return !answer.headersSent && !request.complete && request.readableFlowing === true;
}

function answerUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
