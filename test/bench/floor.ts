import Database from 'better-sqlite3';
import { Refusal, serve } from './floor-server.ts';

/*
 * The floor: what the machine can do. Bare node:http and hand-written SQL, prepared once, with the bodies, the rows, the
 * checks and the durability of the service for three operations, and nothing else of it. DATABASE_URL is sqlite: and a file.
 */

const database = new Database((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length));
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

serve({
  pet(id) {
    const row = pet.get(id);
    return row === undefined ? undefined : JSON.stringify(row);
  },

  pets(categoryId, status, limit) {
    return JSON.stringify(pets.all(categoryId, status, limit));
  },

  order(petId, quantity) {
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
  },

  close() {
    database.close();
  },
});
