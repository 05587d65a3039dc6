import Database from 'better-sqlite3';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import type { SqliteDatabase } from '../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteReadSession } from '../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { Auditor } from '../../src/application/auditor.ts';
import { statementsOn } from '../support/sqlite-store.ts';
import { type Knowledge, type KnownOrder, same } from './customers.ts';

/** What the ledger and the outbox tell about one order. */
interface Story {
  placed: number;
  completed: number;
  cancelled: number;
  reservations: number;
  reserved: number;
  quantity: number;
}

/**
 * Compares the file with what the customers were told, while nobody writes. What was in doubt is settled by the file.
 * Gives every contradiction.
 */
export async function inspect(file: string, customers: Knowledge): Promise<string[]> {
  const database = new Database(file);
  try {
    const integrity = database.pragma('integrity_check', { simple: true });
    const broken = database.pragma('foreign_key_check') as unknown[];
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statementsOn(database)));
    const { findings } = await new Auditor(reader).audit();
    const orders = ordersIn(database);
    return [
      ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
      ...broken.map((row) => `a foreign key leads nowhere: ${JSON.stringify(row)}`),
      ...findings.map(({ petId, rule, message }) => `pet ${petId}: ${rule}: ${message}`),
      ...lostOrders(orders, customers),
      ...unfinishedOrders(orders, storiesIn(database)),
    ];
  } finally {
    database.close();
  }
}

function ordersIn(database: SqliteDatabase): Map<number, KnownOrder> {
  const rows = database
    .prepare('select id, pet_id as petId, quantity, ship_date as shipDate, complete from orders')
    .all() as (Omit<KnownOrder, 'complete'> & { id: number; complete: number })[];
  return new Map(rows.map(({ id, complete, ...order }) => [id, { ...order, complete: complete === 1 }]));
}

/** Nothing that was acknowledged may be missing or other than it was, and nothing may be there that nobody asked for. */
function lostOrders(kept: ReadonlyMap<number, KnownOrder>, customers: Knowledge): string[] {
  const faults: string[] = [];
  for (const [id, change] of customers.doubtfulChanges) {
    const known = customers.orders.get(id) as KnownOrder;
    if (change === 'complete' && kept.get(id)?.complete) customers.orders.set(id, { ...known, complete: true });
    if (change === 'cancel' && !kept.has(id)) {
      customers.orders.delete(id);
      customers.cancelled.add(id);
    }
  }
  for (const [id, order] of kept) {
    const doubtful = customers.doubtfulOrders.get(order.shipDate);
    if (!customers.orders.has(id) && doubtful) {
      customers.orders.set(id, doubtful);
      customers.doubtfulOrders.delete(order.shipDate);
    }
  }
  customers.doubtfulChanges.clear();
  customers.doubtfulOrders.clear();

  for (const [id, order] of customers.orders) {
    const found = kept.get(id);
    if (!found) faults.push(`order ${id} was acknowledged and is lost: ${JSON.stringify(order)}`);
    else if (!same(found, order)) faults.push(`order ${id} is ${JSON.stringify(found)}, not ${JSON.stringify(order)}`);
  }
  for (const id of kept.keys()) {
    if (customers.cancelled.has(id)) faults.push(`order ${id} is back, though its cancellation was acknowledged`);
    else if (!customers.orders.has(id)) faults.push(`nobody asked for order ${id}`);
  }
  return faults;
}

function storiesIn(database: SqliteDatabase): Map<number, Story> {
  const stories = new Map<number, Story>();
  const storyOf = (id: number) => {
    const story = stories.get(id) ?? {
      placed: 0,
      completed: 0,
      cancelled: 0,
      reservations: 0,
      reserved: 0,
      quantity: 0,
    };
    stories.set(id, story);
    return story;
  };
  for (const { id, type } of database
    .prepare("select json_extract(data, '$.id') as id, type from events where type like 'order.%'")
    .all() as { id: number; type: string }[]) {
    const story = storyOf(id);
    if (type === 'order.placed') story.placed += 1;
    if (type === 'order.completed') story.completed += 1;
    if (type === 'order.cancelled') story.cancelled += 1;
  }
  for (const { id, kind, reserved, quantity } of database
    .prepare('select order_id as id, kind, reserved, quantity from movements where order_id is not null')
    .all() as { id: number; kind: string; reserved: number; quantity: number }[]) {
    const story = storyOf(id);
    if (kind === 'reserved') story.reservations += 1;
    story.reserved += reserved;
    story.quantity += quantity;
  }
  return stories;
}

/** Order, ledger and outbox must tell the same. */
function unfinishedOrders(orders: ReadonlyMap<number, KnownOrder>, stories: ReadonlyMap<number, Story>): string[] {
  const faults: string[] = [];
  for (const id of new Set([...orders.keys(), ...stories.keys()])) {
    const order = orders.get(id);
    const expected: Story = {
      placed: 1,
      completed: order?.complete ? 1 : 0,
      cancelled: order ? 0 : 1,
      reservations: 1,
      reserved: order && !order.complete ? order.quantity : 0,
      quantity: order?.complete ? -order.quantity : 0,
    };
    const story = JSON.stringify(stories.get(id));
    if (story !== JSON.stringify(expected)) {
      faults.push(`order ${id} is half-written: ${JSON.stringify(order)}, but ledger and outbox tell ${story}`);
    }
  }
  return faults;
}
