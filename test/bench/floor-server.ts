import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type MaybePromise<Value> = Value | Promise<Value>;

/** The operations of a floor; they return the bodies of responses. */
export interface Floor {
  pet(id: number): MaybePromise<string | undefined>;
  pets(categoryId: number, status: string, limit: number): MaybePromise<string>;
  /** @throws {Refusal} */
  order(petId: number, quantity: number): MaybePromise<string>;
  close(): MaybePromise<void>;
}

export class Refusal extends Error {}

/** Serves a floor with bare node:http, on a free port of this machine, until SIGTERM. */
export function serve(floor: Floor): void {
  const server = createServer((request, response) => {
    const { method, url = '/' } = request;
    if (method === 'GET' && url.startsWith('/store/pets/')) {
      respond(response, 200, () => floor.pet(Number(url.slice('/store/pets/'.length))));
    } else if (method === 'GET' && url.startsWith('/pets?')) {
      const query = new URLSearchParams(url.slice('/pets?'.length));
      const [categoryId, limit] = [Number(query.get('categoryId')), Number(query.get('limit'))];
      respond(response, 200, () => floor.pets(categoryId, query.get('status') ?? '', limit));
    } else if (method === 'POST' && url === '/store/orders') {
      receive(request, (body) => {
        respond(response, 201, () => {
          const { petId, quantity = 1 } = JSON.parse(body) as { petId: number; quantity?: number };
          return floor.order(petId, quantity);
        });
      });
    } else write(response, 404, '{}');
  });

  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ port, url: `http://127.0.0.1:${port}` }));
  });

  process.once('SIGTERM', () => {
    server.close(() => floor.close());
    server.closeAllConnections();
  });
}

function receive(request: IncomingMessage, then: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => then(body));
}

/** Waits for promises only: a promise for each request would cost the floor on SQLite something. */
function respond(response: ServerResponse, status: number, find: () => MaybePromise<string | undefined>): void {
  const send = (body: string | undefined) => write(response, body === undefined ? 404 : status, body ?? '{}');
  const refuse = (error: unknown) =>
    write(response, error instanceof Refusal ? 409 : error instanceof SyntaxError ? 400 : 500, '{}');
  try {
    const found = find();
    if (found instanceof Promise) found.then(send, refuse);
    else send(found);
  } catch (error) {
    refuse(error);
  }
}

function write(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
