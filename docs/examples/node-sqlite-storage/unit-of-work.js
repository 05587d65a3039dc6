import { setTimeout as pause } from 'node:timers/promises';
import { ApiKey } from 'petstore-service/domain/api-key';
import { Category } from 'petstore-service/domain/category';
import { InventoryItem } from 'petstore-service/domain/inventory-item';
import { Order } from 'petstore-service/domain/order';
import { Pet } from 'petstore-service/domain/pet';
import { statusOf } from 'petstore-service/domain/pet-status';
import { CategoryNameTaken } from 'petstore-service/domain/refusals';
import { nameKey } from 'petstore-service/domain/text';
import { StorageUnavailable, UnitOfWork } from 'petstore-service/ports/unit-of-work';
import { ask, BUSY, hex, resultOf } from './database.js';

/** The units of work of this process run one after the other; SQLite's own lock excludes other processes. */
export class AcmeUnitOfWork extends UnitOfWork {
  #database;
  #limit;

  /** `limit`: how many milliseconds a unit of work may take. */
  constructor(database, limit = 15_000) {
    super();
    this.#database = database;
    this.#limit = limit;
  }

  write(work) {
    const turn = this.#database.turn.then(() => this.#alone(work));
    this.#database.turn = turn.catch(() => undefined);
    return turn;
  }

  async #alone(work) {
    const { writer } = this.#database.connections;
    const { promise: interrupted, reject } = Promise.withResolvers();
    this.#database.interrupt = reject;
    const late = new StorageUnavailable(`A unit of work took longer than ${this.#limit} ms.`);
    const timer = setTimeout(() => reject(late), this.#limit);
    let ended = false;
    const query = (sql, ...values) => {
      if (ended) throw new Error('This unit of work has ended.');
      return ask(writer, sql, ...values);
    };
    try {
      await Promise.race([begin(query), interrupted]);
      const result = await Promise.race([work(scopeOf(query)), interrupted]);
      query('COMMIT');
      return result;
    } finally {
      ended = true;
      clearTimeout(timer);
      if (writer?.isTransaction) writer.exec('ROLLBACK');
    }
  }
}

async function begin(query) {
  try {
    query('BEGIN IMMEDIATE');
  } catch (error) {
    if (resultOf(error) !== BUSY) throw error;
    await pause(2);
    await begin(query);
  }
}

function scopeOf(query) {
  const given = new Map();
  /** SQLite remembers the last id of a table, also when its row is deleted. */
  const nextId = async (kind) => {
    const [last] = query('SELECT seq FROM sqlite_sequence WHERE name = ?', kind);
    return given.set(kind, Math.max(last?.seq ?? 0, given.get(kind) ?? 0) + 1).get(kind);
  };
  const add = (kind, row) => void query(`INSERT INTO ${kind} (id, row) VALUES (?, ?)`, row.id, JSON.stringify(row));
  const save = (kind, row) => void query(`UPDATE ${kind} SET row = ? WHERE id = ?`, JSON.stringify(row), row.id);
  const find = (kind, value, column = 'id') =>
    query(`SELECT row FROM ${kind} WHERE ${column} = ? LIMIT 1`, value).map(({ row }) => JSON.parse(row))[0];
  const recall = async (Kind, row) => row && Kind.recall(row);
  /** The methods that all repositories share. */
  const repository = (kind, Kind, rowOf = (thing) => thing.snapshot()) => ({
    nextId: () => nextId(kind),
    lock: async (id) => recall(Kind, find(kind, id)),
    add: async (thing) => add(kind, rowOf(thing)),
    save: async (thing) => save(kind, rowOf(thing)),
    delete: async (id) => void query(`DELETE FROM ${kind} WHERE id = ?`, id),
  });

  const categoryRow = (category) => {
    const row = { ...category.snapshot(), nameKey: hex(nameKey(category.name)) };
    const namesake = find('categories', row.nameKey, 'nameKey');
    if (namesake && namesake.id !== row.id) throw new CategoryNameTaken(row.name);
    return row;
  };
  /** A pet and its stock are one row, so that neither exists without the other. */
  const petRow = (row) => ({ ...row, nameKey: hex(nameKey(row.name)), status: statusOf(row) });
  const change = async (id, facts) => {
    const row = find('pets', id);
    if (row) save('pets', petRow({ ...row, ...facts }));
  };

  return {
    categories: {
      ...repository('categories', Category, categoryRow),
      exists: async (id) => find('categories', id) !== undefined,
      isInUse: async (id) => find('pets', id, 'categoryId') !== undefined,
    },
    pets: {
      ...repository('pets', Pet),
      find: (id) => recall(Pet, find('pets', id)),
      add: async (pet, item) => add('pets', petRow({ ...item.snapshot(), ...pet.snapshot() })),
      save: (pet) => change(pet.id, pet.snapshot()),
    },
    inventory: {
      lock: (petId) => recall(InventoryItem, find('pets', petId)),
      save: (item) => change(item.petId, item.snapshot()),
    },
    orders: {
      ...repository('orders', Order),
      existFor: async (petId) => find('orders', petId, 'petId') !== undefined,
    },
    ledger: { append: async (entry) => add('movements', { ...entry, id: await nextId('movements') }) },
    outbox: { append: async (event) => add('events', { ...event, id: await nextId('events') }) },
    idempotency: {
      lock: async (requestId) => find('idempotency', hex(requestId), 'requestId')?.record,
      async save(requestId, record) {
        const row = JSON.stringify({ requestId: hex(requestId), savedAt: record.savedAt, record });
        query('INSERT OR REPLACE INTO idempotency (row) VALUES (?)', row);
      },
      async deleteExpired(savedBefore, most) {
        const oldest = 'SELECT id FROM idempotency WHERE savedAt < ? ORDER BY savedAt, id LIMIT ?';
        return query(`DELETE FROM idempotency WHERE id IN (${oldest}) RETURNING id`, savedBefore, most).length;
      },
    },
    apiKeys: repository('apiKeys', ApiKey),
  };
}
