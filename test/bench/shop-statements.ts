import Database from 'better-sqlite3';

/* The SQL of the measured operations, written by hand and prepared once: the same statements, rows and checks as the service's. */

export interface PetRow {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

export interface OrderRow {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

/** An order that the stock of the pet does not allow. */
export class OrderRefused extends Error {
  readonly code: 'unknown_pet' | 'pet_not_available' | 'insufficient_stock';

  constructor(code: OrderRefused['code']) {
    super(code);
    this.code = code;
  }
}

/** Prepared statements on the shop in the file that `DATABASE_URL` names, with the pragmas of the service's storage. */
export function openShopStatements() {
  const database = new Database((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length));
  // As in src/adapters/mikro-orm/sqlite/storage.ts.
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('foreign_keys = on');
  database.pragma('temp_store = memory');
  database.pragma('wal_autocheckpoint = 10000');
  database.pragma('cache_size = -6000');

  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');
  const pet = database.prepare('select id, name, category_id as "categoryId", status from pets where id = ?');
  const pets = database.prepare(
    'select id, name, category_id as "categoryId", status from pets where category_id = ? and status = ? and id > ? order by id limit ? + 0',
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

  return {
    pet(id: number): PetRow | undefined {
      return pet.get(id) as PetRow | undefined;
    },

    /** The pets of a category with a status, by id, after one of them. */
    pets(categoryId: number, status: string, after: number, limit: number): PetRow[] {
      return pets.all(categoryId, status, after, limit) as PetRow[];
    },

    /** In a transaction of its own. @throws {OrderRefused} */
    order(petId: number, quantity: number): OrderRow {
      begin.run();
      try {
        const found = stock.get(petId) as { free: number; status: string } | undefined;
        if (!found) throw new OrderRefused('unknown_pet');
        if (found.status !== 'available') throw new OrderRefused('pet_not_available');
        if (quantity > found.free) throw new OrderRefused('insufficient_stock');
        const at = Date.now();
        const id = ((lastOrder.get() as { seq: number } | undefined)?.seq ?? 0) + 1;
        const order = { id, petId, quantity, complete: false };
        addOrder.run(id, petId, quantity);
        if (quantity < found.free) reserve.run(quantity, petId);
        else reserveAll.run(petId);
        addMovement.run(petId, quantity, id, at);
        addEvent.run(JSON.stringify(order), at);
        commit.run();
        return order;
      } catch (error) {
        rollback.run();
        throw error;
      }
    },

    close(): void {
      database.close();
    },
  };
}
