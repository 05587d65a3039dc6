import pg from 'pg';
import { Refusal, serve } from '../floor-server.ts';

/*
 * The floor on PostgreSQL: what pg can do. Bare node:http and hand-written SQL, which each connection prepares once, with the
 * bodies, the rows, the locks, the checks and the durability of the service for three operations, and nothing else of it.
 */

// Numbers here are never beyond what a number holds exactly, and are so in the service's answers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['PETSTORE_POSTGRES_POOL']),
});

const PET = {
  name: 'pet',
  text: 'select id, name, category_id as "categoryId", status from pets where id = $1',
};
const PETS = {
  name: 'pets',
  text: 'select id, name, category_id as "categoryId", status from pets where category_id = $1 and status = $2 order by id limit $3',
};
const STOCK = {
  name: 'stock',
  text: 'select quantity - reserved as free, status from pets where id = $1 for update',
};
const RESERVE = { name: 'reserve', text: 'update pets set reserved = reserved + $1 where id = $2' };
const RESERVE_ALL = {
  name: 'reserve-all',
  text: "update pets set reserved = quantity, status = 'pending' where id = $1",
};
const ADD_ORDER = {
  name: 'add-order',
  text: 'insert into orders (pet_id, quantity, ship_date, complete) values ($1, $2, null, 0) returning id',
};
const ADD_MOVEMENT = {
  name: 'add-movement',
  text: "insert into movements (pet_id, kind, quantity, reserved, order_id, at) values ($1, 'reserved', 0, $2, $3, $4)",
};
const ADD_EVENT = {
  name: 'add-event',
  text: "insert into outbox (type, data, at) values ('order.placed', $1, $2)",
};

serve({
  async pet(id) {
    const { rows } = await pool.query({ ...PET, values: [id] });
    return rows[0] && JSON.stringify(rows[0]);
  },

  async pets(categoryId, status, limit) {
    const { rows } = await pool.query({ ...PETS, values: [categoryId, status, limit] });
    return JSON.stringify(rows);
  },

  async order(petId, quantity) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const order = await place(client, petId, quantity);
      await client.query('commit');
      return order;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  },

  close() {
    return pool.end();
  },
});

async function place(client: pg.PoolClient, petId: number, quantity: number): Promise<string> {
  const { rows: found } = await client.query<{ free: number; status: string }>({ ...STOCK, values: [petId] });
  const [stock] = found;
  if (stock?.status !== 'available' || quantity > stock.free) throw new Refusal();
  const at = Date.now();
  const { rows: added } = await client.query<{ id: number }>({ ...ADD_ORDER, values: [petId, quantity] });
  const id = added[0]?.id;
  const order = JSON.stringify({ id, petId, quantity, complete: false });
  if (quantity < stock.free) await client.query({ ...RESERVE, values: [quantity, petId] });
  else await client.query({ ...RESERVE_ALL, values: [petId] });
  await client.query({ ...ADD_MOVEMENT, values: [petId, quantity, id, at] });
  await client.query({ ...ADD_EVENT, values: [order, at] });
  return order;
}
