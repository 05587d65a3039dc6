import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What may be there at once or come later. */
type Soon<Value> = Value | Promise<Value>;

/** What a floor does, in bodies of answers. */
export interface Floor {
  pet(id: number): Soon<string | undefined>;
  pets(categoryId: number, status: string, limit: number): Soon<string>;
  /** @throws {Refusal} */
  order(petId: number, quantity: number): Soon<string>;
  close(): Soon<void>;
}

export class Refusal extends Error {}

/** Bare node:http before a floor, on a free port of this machine, until SIGTERM. */
export function serve(floor: Floor): void {
  const server = createServer((request, response) => {
    const { method, url = '/' } = request;
    if (method === 'GET' && url.startsWith('/store/pets/')) {
      give(response, 200, () => floor.pet(Number(url.slice('/store/pets/'.length))));
    } else if (method === 'GET' && url.startsWith('/pets?')) {
      const query = new URLSearchParams(url.slice('/pets?'.length));
      const [categoryId, limit] = [Number(query.get('categoryId')), Number(query.get('limit'))];
      give(response, 200, () => floor.pets(categoryId, query.get('status') ?? '', limit));
    } else if (method === 'POST' && url === '/store/orders') {
      receive(request, (body) => {
        give(response, 201, () => {
          const { petId, quantity = 1 } = JSON.parse(body) as { petId: number; quantity?: number };
          return floor.order(petId, quantity);
        });
      });
    } else answer(response, 404, '{}');
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

/** What is there at once is answered at once: a promise would cost the faster floor something. */
function give(response: ServerResponse, status: number, find: () => Soon<string | undefined>): void {
  const show = (body: string | undefined) => answer(response, body === undefined ? 404 : status, body ?? '{}');
  const refuse = (error: unknown) =>
    answer(response, error instanceof Refusal ? 409 : error instanceof SyntaxError ? 400 : 500, '{}');
  try {
    const found = find();
    if (found instanceof Promise) found.then(show, refuse);
    else show(found);
  } catch (error) {
    refuse(error);
  }
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
