import Database from 'better-sqlite3';
import pg from 'pg';
import { Auditor } from '../../src/application/auditor.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';
import { isSame, type Knowledge, type KnownOrder } from './workload.ts';

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/** What the ledger and the outbox say about one order. */
interface Trace {
  placed: number;
  completed: number;
  cancelled: number;
  reservations: number;
  reserved: number;
  quantity: number;
}

/**
 * Compares a store with what its clients know, while nothing is written. What was in doubt is settled by the store.
 * Returns every contradiction.
 */
export async function contradictionsIn(databaseUrl: string, knowledge: Knowledge): Promise<string[]> {
  return withRows(databaseUrl, async (rows) => {
    const damage = databaseUrl.startsWith('sqlite:') ? await damageOf(rows) : [];
    const findings = await audit(databaseUrl);
    const orders = await ordersIn(rows);
    settleDoubts(orders, knowledge);
    return [
      ...damage,
      ...findings,
      ...lostOrders(orders, knowledge),
      ...halfWrittenOrders(orders, await tracesIn(rows)),
    ];
  });
}

async function withRows<Result>(databaseUrl: string, use: (rows: Rows) => Promise<Result>): Promise<Result> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new Database(databaseUrl.slice('sqlite:'.length));
    try {
      return await use(async <Row>(sql: string) => database.prepare(sql).all() as Row[]);
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

async function damageOf(rows: Rows): Promise<string[]> {
  const integrity = await rows<{ integrity_check: string }>('pragma integrity_check');
  const broken = await rows('pragma foreign_key_check');
  return [
    ...integrity
      .filter((row) => row.integrity_check !== 'ok')
      .map((row) => `the file is damaged: ${row.integrity_check}`),
    ...broken.map((row) => `a foreign key has no target: ${JSON.stringify(row)}`),
  ];
}

/** What the audit of a store finds. */
export async function audit(databaseUrl: string): Promise<string[]> {
  const container = await compose(optionsWith({ databaseUrl, logLevel: 'silent' }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    const { findings } = await container.get(Auditor).audit();
    return findings.map(({ petId, rule, message }) => `pet ${petId}: ${rule}: ${message}`);
  } finally {
    await storage.close();
  }
}

async function ordersIn(rows: Rows): Promise<Map<number, KnownOrder>> {
  const found = await rows<Record<'id' | 'petId' | 'quantity' | 'shipDate' | 'complete', unknown>>(
    'select id, pet_id as "petId", quantity, ship_date as "shipDate", complete from orders',
  );
  return new Map(
    found.map(({ id, petId, quantity, shipDate, complete }) => [
      Number(id),
      { petId: Number(petId), quantity: Number(quantity), shipDate: Number(shipDate), complete: Boolean(complete) },
    ]),
  );
}

function settleDoubts(stored: ReadonlyMap<number, KnownOrder>, knowledge: Knowledge): void {
  const { orders, cancelled, doubtfulOrders, doubtfulChanges } = knowledge;
  for (const [id, change] of doubtfulChanges) {
    const known = orders.get(id) as KnownOrder;
    if (change === 'complete' && stored.get(id)?.complete) orders.set(id, { ...known, complete: true });
    if (change === 'cancel' && !stored.has(id)) {
      orders.delete(id);
      cancelled.add(id);
    }
  }
  for (const [id, { shipDate }] of stored) {
    const doubtful = doubtfulOrders.get(shipDate);
    if (orders.has(id) || !doubtful) continue;
    orders.set(id, doubtful);
    doubtfulOrders.delete(shipDate);
  }
  doubtfulChanges.clear();
  doubtfulOrders.clear();
}

/** What was acknowledged must be stored as it was acknowledged, and nothing may be stored that was not requested. */
function lostOrders(stored: ReadonlyMap<number, KnownOrder>, { orders, cancelled }: Knowledge): string[] {
  const faults: string[] = [];
  for (const [id, order] of orders) {
    const found = stored.get(id);
    if (!found) faults.push(`order ${id} was acknowledged and is lost: ${JSON.stringify(order)}`);
    else if (!isSame(found, order))
      faults.push(`order ${id} is ${JSON.stringify(found)}, not ${JSON.stringify(order)}`);
  }
  for (const id of stored.keys()) {
    if (cancelled.has(id)) faults.push(`order ${id} is back, though its cancellation was acknowledged`);
    else if (!orders.has(id)) faults.push(`order ${id} was not requested`);
  }
  return faults;
}

async function tracesIn(rows: Rows): Promise<Map<number, Trace>> {
  const traces = new Map<number, Trace>();
  const traceOf = (id: number) => {
    const trace = traces.get(id) ?? {
      placed: 0,
      completed: 0,
      cancelled: 0,
      reservations: 0,
      reserved: 0,
      quantity: 0,
    };
    traces.set(id, trace);
    return trace;
  };
  const events = await rows<{ type: string; data: unknown }>("select type, data from events where type like 'order.%'");
  for (const { type, data } of events) {
    const { id } = (typeof data === 'string' ? JSON.parse(data) : data) as { id: number };
    const kind = type.slice('order.'.length);
    if (kind === 'placed' || kind === 'completed' || kind === 'cancelled') traceOf(id)[kind] += 1;
  }
  const movements = await rows<Record<'id' | 'kind' | 'reserved' | 'quantity', unknown>>(
    'select order_id as id, kind, reserved, quantity from movements where order_id is not null',
  );
  for (const { id, kind, reserved, quantity } of movements) {
    const trace = traceOf(Number(id));
    if (kind === 'reserved') trace.reservations += 1;
    trace.reserved += Number(reserved);
    trace.quantity += Number(quantity);
  }
  return traces;
}

/** Order, ledger and outbox must agree. */
function halfWrittenOrders(orders: ReadonlyMap<number, KnownOrder>, traces: ReadonlyMap<number, Trace>): string[] {
  return [...new Set([...orders.keys(), ...traces.keys()])].flatMap((id) => {
    const order = orders.get(id);
    const expected: Trace = {
      placed: 1,
      completed: order?.complete ? 1 : 0,
      cancelled: order ? 0 : 1,
      reservations: 1,
      reserved: order && !order.complete ? order.quantity : 0,
      quantity: order?.complete ? -order.quantity : 0,
    };
    const trace = JSON.stringify(traces.get(id));
    if (trace === JSON.stringify(expected)) return [];
    return [`order ${id} is half-written: ${JSON.stringify(order)}, but ledger and outbox say ${trace}`];
  });
}
