import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';

/*
 * The floor: what the machine can do. Bare node:http and hand-written SQL, prepared once, with the bodies, the rows, the
 * checks and the durability of the service for three operations, and nothing else of it.
 */

const { values } = parseArgs({
  options: { file: { type: 'string' }, port: { type: 'string', default: '0' } },
});
if (!values.file) throw new Error('Usage: floor.ts --file FILE [--port PORT]');

const database = new Database(values.file);
// As in src/adapters/mikro-orm/sqlite/storage.ts.
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.pragma('foreign_keys = on');
database.pragma('cache_size = -6000');

const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');
const rollback = database.prepare('rollback');
const pet = database.prepare('select id, name, category_id as "categoryId", status from pets where id = ?');
const pets = database.prepare(
  'select id, name, category_id as "categoryId", status from pets where category_id = ? and status = ? order by id limit ? + 0',
);
const stock = database.prepare('select quantity - reserved as free, status from pets where id = ?');
const reserve = database.prepare('update pets set reserved = reserved + ? where id = ?');
const reserveAll = database.prepare("update pets set reserved = quantity, status = 'pending' where id = ?");
const lastOrder = database.prepare("select seq from sqlite_sequence where name = 'orders'");
const addOrder = database.prepare(
  'insert into orders (id, pet_id, quantity, ship_date, complete) values (?, ?, ?, null, 0)',
);
const addMovement = database.prepare(
  "insert into movements (pet_id, kind, quantity, reserved, order_id, at) values (?, 'reserved', 0, ?, ?, ?)",
);
const addEvent = database.prepare("insert into events (type, data, at) values ('order.placed', ?, ?)");

class Refusal extends Error {}

const server = createServer((request, response) => {
  const { method, url = '/' } = request;
  if (method === 'GET' && url.startsWith('/store/pets/')) showPet(Number(url.slice('/store/pets/'.length)), response);
  else if (method === 'GET' && url.startsWith('/pets?'))
    listPets(new URLSearchParams(url.slice('/pets?'.length)), response);
  else if (method === 'POST' && url === '/store/orders') receiveOrder(request, response);
  else answer(response, 404, '{}');
});

function showPet(id: number, response: ServerResponse): void {
  const row = pet.get(id);
  if (row) answer(response, 200, JSON.stringify(row));
  else answer(response, 404, '{}');
}

function listPets(query: URLSearchParams, response: ServerResponse): void {
  const rows = pets.all(Number(query.get('categoryId')), query.get('status'), Number(query.get('limit')));
  answer(response, 200, JSON.stringify(rows));
}

function receiveOrder(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    try {
      const { petId, quantity = 1 } = JSON.parse(body) as { petId: number; quantity?: number };
      answer(response, 201, placeOrder(petId, quantity));
    } catch (error) {
      answer(response, error instanceof Refusal ? 409 : error instanceof SyntaxError ? 400 : 500, '{}');
    }
  });
}

function placeOrder(petId: number, quantity: number): string {
  begin.run();
  try {
    const found = stock.get(petId) as { free: number; status: string } | undefined;
    if (found?.status !== 'available' || quantity > found.free) throw new Refusal();
    const at = Date.now();
    const id = ((lastOrder.get() as { seq: number } | undefined)?.seq ?? 0) + 1;
    const order = JSON.stringify({ id, petId, quantity, complete: false });
    addOrder.run(id, petId, quantity);
    if (quantity < found.free) reserve.run(quantity, petId);
    else reserveAll.run(petId);
    addMovement.run(petId, quantity, id, at);
    addEvent.run(order, at);
    commit.run();
    return order;
  } catch (error) {
    rollback.run();
    throw error;
  }
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

server.listen(Number(values.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ port, url: `http://127.0.0.1:${port}` }));
});

process.once('SIGTERM', () => {
  server.close(() => database.close());
  server.closeAllConnections();
});
