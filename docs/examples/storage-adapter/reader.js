import { PET_STATUSES } from 'petstore-service/domain/pet-status';
import { nameKey } from 'petstore-service/domain/text';
import { Reader } from 'petstore-service/ports/reader';
import { withoutNulls } from './database.js';
import { toDelivery, toWebhook } from './webhooks.js';
import { KEY_COLUMNS, recallKey } from './write-scope.js';

/** How rows are shown. */
const toPet = ({ id, name, categoryId, status }) => ({ id, name, categoryId, status });
const toCategory = ({ id, name, description }) => withoutNulls({ id, name, description });
const toOrder = ({ id, petId, quantity, shipDate, complete }) =>
  withoutNulls({ id, petId, quantity, shipDate, complete: complete === 1 });
const toInventory = ({ id, quantity, reserved, status }) => ({ petId: id, quantity, reserved, status });
const toMovement = (row) => withoutNulls(row);
const toKey = (row) => withoutUndefined(recallKey(row).snapshot());
const withoutUndefined = (facts) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

/** Conditions: a piece of SQL with the values for its question marks. A filter without a value is no condition. */
const compare = (comparison, value) => value !== undefined && { sql: `${comparison} ?`, values: [value] };
const isAmong = (column, values) => values && { sql: `${column} IN (${values.map(() => '?')})`, values };
const beginsWith = (prefix) =>
  prefix !== undefined && {
    sql: 'substr(nameKey, 1, length(?)) = ?',
    values: [nameKey(prefix), nameKey(prefix)],
  };

const CONDITIONS = {
  pets: ({ status, categoryId, name, ids }) => [
    isAmong('status', status),
    compare('categoryId =', categoryId),
    beginsWith(name),
    isAmong('id', ids),
  ],
  categories: ({ name }) => [beginsWith(name)],
  orders: ({ petId, complete, shipDateFrom, shipDateTo }) => [
    compare('petId =', petId),
    compare('complete =', complete === undefined ? undefined : Number(complete)),
    compare('shipDate >=', shipDateFrom),
    compare('shipDate <', shipDateTo),
  ],
  inventory: ({ status, petIds, below }) => [
    isAmong('status', status),
    isAmong('id', petIds),
    compare('quantity <', below),
  ],
  movements: ({ petId }) => [compare('petId =', petId)],
  webhooks: () => [],
  webhookDeliveries: ({ webhookId }) => [compare('webhookId =', webhookId)],
};
/** The inventory entries are in the table of the pets. */
const tableOf = (list) => (list === 'inventory' ? 'pets' : list);
const columnOf = (field) => ({ name: 'nameKey', petId: 'id' })[field] ?? field;

/** Reads on a connection of its own, and sees committed data only. */
export class AcmeReader extends Reader {
  #database;

  constructor(database) {
    super();
    this.#database = database;
  }

  async pet(id) {
    return this.#find('pets', id, toPet);
  }

  async storePet(id, expand) {
    return this.#snapshot(() => {
      const row = this.#find('pets', id);
      if (!row) return undefined;
      const category = expand.category && this.#find('categories', row.categoryId, toCategory);
      return { ...toPet(row), ...(category && { category }), ...(expand.inventory && { inventory: toInventory(row) }) };
    });
  }

  async pets(filter, page) {
    return this.#page('pets', filter, page, toPet);
  }

  async countPets(filter, most) {
    return this.#count('pets', filter, most);
  }

  async category(id) {
    return this.#find('categories', id, toCategory);
  }

  async categories(filter, page) {
    return this.#page('categories', filter, page, toCategory);
  }

  async countCategories(filter, most) {
    return this.#count('categories', filter, most);
  }

  async order(id) {
    return this.#find('orders', id, toOrder);
  }

  async orders(filter, page) {
    return this.#page('orders', filter, page, toOrder);
  }

  async countOrders(filter, most) {
    return this.#count('orders', filter, most);
  }

  async inventoryItem(petId) {
    return this.#find('pets', petId, toInventory);
  }

  async inventory(filter, page) {
    return this.#page('inventory', filter, page, toInventory);
  }

  async countInventory(filter, most) {
    return this.#count('inventory', filter, most);
  }

  async summary() {
    const summary = Object.fromEntries(PET_STATUSES.map((status) => [status, { pets: 0, units: 0 }]));
    const sums = 'SELECT status, count(*) AS pets, sum(quantity) AS units FROM pets GROUP BY status';
    for (const { status, pets, units } of this.#database.reader.all(sums)) summary[status] = { pets, units };
    return summary;
  }

  async movements(petId, page) {
    const newestFirst = { by: 'id', descending: true };
    return this.#snapshot(
      () => this.#find('pets', petId) && this.#page('movements', { petId }, { ...page, sort: newestFirst }, toMovement),
    );
  }

  async countMovements(petId, most) {
    return this.#snapshot(() => this.#find('pets', petId) && this.#count('movements', { petId }, most));
  }

  async apiKey(id) {
    const row = this.#database.reader.get(`SELECT ${KEY_COLUMNS} FROM apiKeys WHERE id = ?`, id);
    return row && toKey(row);
  }

  async apiKeys() {
    return this.#database.reader.all(`SELECT ${KEY_COLUMNS} FROM apiKeys ORDER BY id`).map(toKey);
  }

  async webhook(id) {
    return this.#find('webhooks', id, toWebhook);
  }

  async webhooks(page) {
    return this.#page('webhooks', {}, { ...page, sort: { by: 'id' } }, toWebhook);
  }

  async countWebhooks(most) {
    return this.#count('webhooks', {}, most);
  }

  async webhookDeliveries(webhookId, page) {
    const newestFirst = { ...page, sort: { by: 'id', descending: true } };
    return this.#snapshot(
      () =>
        this.#find('webhooks', webhookId) && this.#page('webhookDeliveries', { webhookId }, newestFirst, toDelivery),
    );
  }

  async countWebhookDeliveries(webhookId, most) {
    return this.#snapshot(
      () => this.#find('webhooks', webhookId) && this.#count('webhookDeliveries', { webhookId }, most),
    );
  }

  /** One statement: everything is from one moment. */
  async *stockRecords() {
    const records = this.#database.reader.all(`
      SELECT id AS petId, quantity, reserved, held, status AS petStatus, status AS inventoryStatus,
        (SELECT coalesce(sum(orders.quantity), 0) FROM orders WHERE petId = pets.id AND NOT complete) AS openOrders,
        (SELECT coalesce(sum(movements.quantity), 0) FROM movements WHERE petId = pets.id) AS ledgerQuantity,
        (SELECT coalesce(sum(movements.reserved), 0) FROM movements WHERE petId = pets.id) AS ledgerReserved
      FROM pets ORDER BY id`);
    for (const record of records) yield { ...record, held: record.held === 1 };
  }

  #find(table, id, show = (row) => row) {
    const row = this.#database.reader.get(`SELECT * FROM ${table} WHERE id = ?`, id);
    return row && show(row);
  }

  /** Stops at `most`: -1 is no limit in SQLite. */
  #count(list, filter, most = -1) {
    const { where, values } = conditions(CONDITIONS[list](filter));
    const counted = `SELECT 1 FROM ${tableOf(list)} ${where} LIMIT ?`;
    return this.#database.reader.get(`SELECT count(*) AS rows FROM (${counted})`, ...values, most).rows;
  }

  /** One row more than was asked for tells whether a page follows. */
  #page(list, filter, { sort, limit, after }, show) {
    const column = columnOf(sort.by);
    const direction = sort.descending ? 'DESC' : 'ASC';
    const { where, values } = conditions([...CONDITIONS[list](filter), after && isAfter(after, column, sort)]);
    const found = this.#database.reader.all(
      `SELECT * FROM ${tableOf(list)} ${where}
       ORDER BY ${column} ${direction} NULLS LAST, id ${direction} LIMIT ?`,
      ...[...values, limit + 1],
    );
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    return { rows: rows.map(show), next: last && { key: last[column], id: last.id } };
  }

  /** Several statements on one state of the database. */
  #snapshot(read) {
    const { reader } = this.#database;
    reader.execute('BEGIN');
    try {
      return read();
    } finally {
      reader.execute('COMMIT');
    }
  }
}

/** The rows behind a position. Rows without a value come last in both directions. */
function isAfter({ key, id }, column, { descending }) {
  const behind = descending ? '<' : '>';
  if (key === null) return { sql: `${column} IS NULL AND id ${behind} ?`, values: [id] };
  return { sql: `((${column}, id) ${behind} (?, ?) OR ${column} IS NULL)`, values: [key, id] };
}

function conditions(all) {
  const stated = all.filter(Boolean);
  return {
    where: stated.length > 0 ? `WHERE ${stated.map(({ sql }) => sql).join(' AND ')}` : '',
    values: stated.flatMap(({ values }) => values),
  };
}
