import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves what a client sends without waiting for the answers before it (RFC 9112, section 9.3.2) one after the other: Node
 * would serve all of it at once, and a later request may depend on what an earlier one does.
 */
export function oneByOne(listener: RequestListener): RequestListener {
  const lastBehind = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    // An answer has its connection when it is its turn.
    const { socket } = request;
    const before = response.socket ? undefined : (lastBehind.get(socket) ?? answerUnderWay(socket));
    if (!before) {
      listener(request, response);
      return;
    }
    lastBehind.set(socket, response);
    before.once('close', () => {
      if (lastBehind.get(socket) === response) lastBehind.delete(socket);
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
