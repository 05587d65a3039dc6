import { nameKey } from 'petstore-service/domain/text';
import { Reader } from 'petstore-service/ports/reader';
import { ask, hex } from './database.js';

/** A filter is the first value of a query, in JSON; a missing field matches every row. */
const unless = (field, test) => `(?1 ->> '${field}' IS NULL OR ${test})`;
const is = (field, test) => unless(field, `${test} ?1 ->> '${field}'`);
const among = (field, column) => unless(field, `${column} IN (SELECT value FROM json_each(?1, '$.${field}'))`);
/** Hexadecimal text continues with 0 to f, so every text with a prefix sorts between the prefix and the prefix with a g. */
const NAMED = unless('name', "nameKey BETWEEN ?1 ->> 'name' AND (?1 ->> 'name') || 'g'");
const SHIPPED = [is('shipDateFrom', 'shipDate >='), is('shipDateTo', 'shipDate <')];

const list = (kind, ...tests) => `FROM ${kind} WHERE ${tests.join(' AND ')}`;
const LISTS = {
  pets: list('pets', among('status', 'status'), is('categoryId', 'categoryId ='), among('ids', 'id'), NAMED),
  categories: list('categories', NAMED),
  orders: list('orders', is('petId', 'petId ='), is('complete', 'complete ='), ...SHIPPED),
  inventory: list('pets', among('status', 'status'), among('petIds', 'id'), is('below', 'quantity <')),
  movements: list('movements', "petId = ?1 ->> 'petId'"),
};
const NEWEST_FIRST = { by: 'id', descending: true };

const showPet = ({ id, name, categoryId, status }) => ({ id, name, categoryId, status });
const showStock = ({ petId, quantity, reserved, status }) => ({ petId, quantity, reserved, status });
const showRow = ({ nameKey: _, ...row }) => row;

const asJson = (filter) =>
  JSON.stringify(filter.name === undefined ? filter : { ...filter, name: hex(nameKey(filter.name)) });

export class AcmeReader extends Reader {
  #database;

  constructor(database) {
    super();
    this.#database = database;
  }

  pet = async (id) => this.#find('pets', id, showPet);
  pets = async (filter, page) => this.#page('pets', filter, page, showPet);
  countPets = async (filter, most) => this.#count('pets', filter, most);
  category = async (id) => this.#find('categories', id);
  categories = async (filter, page) => this.#page('categories', filter, page);
  countCategories = async (filter, most) => this.#count('categories', filter, most);
  order = async (id) => this.#find('orders', id);
  orders = async (filter, page) => this.#page('orders', filter, page);
  countOrders = async (filter, most) => this.#count('orders', filter, most);
  inventoryItem = async (id) => this.#find('pets', id, showStock);
  inventory = async (filter, page) => this.#page('inventory', filter, page, showStock);
  countInventory = async (filter, most) => this.#count('inventory', filter, most);
  apiKey = async (id) => this.#find('apiKeys', id);
  apiKeys = async () => this.#query('SELECT row FROM apiKeys ORDER BY id').map(({ row }) => JSON.parse(row));
  movements = (petId, page) =>
    this.#atOnce(() =>
      this.#find('pets', petId, () => this.#page('movements', { petId }, { ...page, sort: NEWEST_FIRST })),
    );
  countMovements = (petId, most) =>
    this.#atOnce(() => this.#find('pets', petId, () => this.#count('movements', { petId }, most)));

  storePet(id, expand) {
    const show = (row) => {
      const category = expand.category && this.#find('categories', row.categoryId);
      return { ...showPet(row), ...(category && { category }), ...(expand.inventory && { inventory: showStock(row) }) };
    };
    return this.#atOnce(() => this.#find('pets', id, show));
  }

  async summary() {
    const sums = 'SELECT status, count(*) AS pets, sum(quantity) AS units FROM pets GROUP BY status';
    const summary = Object.fromEntries(['available', 'pending', 'sold'].map((each) => [each, { pets: 0, units: 0 }]));
    for (const { status, ...sum } of this.#query(sums)) summary[status] = sum;
    return summary;
  }

  async *stockRecords() {
    const sum = (what, of) => `(SELECT coalesce(sum(${what}), 0) FROM ${of} WHERE petId = pets.id)`;
    const records = `SELECT id AS petId, quantity, reserved, held, status AS petStatus, status AS inventoryStatus,
      ${sum('iif(complete, 0, quantity)', 'orders')} AS openOrders, ${sum('quantity', 'movements')} AS ledgerQuantity,
      ${sum('reserved', 'movements')} AS ledgerReserved FROM pets ORDER BY id`;
    for (const record of this.#query(records)) yield { ...record, held: Boolean(record.held) };
  }

  #query = (sql, ...values) => ask(this.#database.connections.reader, sql, ...values);
  #find = (kind, id, show = showRow) =>
    this.#query(`SELECT row FROM ${kind} WHERE id = ?`, id).map(({ row }) => show(JSON.parse(row)))[0];
  #count = (list, filter, most = -1) =>
    this.#query(`SELECT count(*) AS rows FROM (SELECT 1 ${LISTS[list]} LIMIT ?2)`, asJson(filter), most)[0].rows;

  #page(list, filter, { sort, limit, after }, show = showRow) {
    const { by: field, descending } = sort;
    const column = { name: 'nameKey', petId: 'id' }[field] ?? field;
    const [direction, behind] = descending ? ['DESC', '<'] : ['ASC', '>'];
    // Only orders may lack the value to sort by; they come last.
    const orNone = field === 'shipDate' ? 'OR shipDate IS NULL' : '';
    let place = '';
    if (after) place = `AND ((${column}, id) ${behind} (?4, ?3) ${orNone})`;
    if (after?.key === null) place = `AND ${column} IS NULL AND id ${behind} ?3`;
    const key = typeof after?.key === 'string' ? hex(after.key) : after?.key;
    const found = this.#query(
      `SELECT row ${LISTS[list]} ${place} ORDER BY ${column} ${direction} NULLS LAST, id ${direction} LIMIT ?2`,
      ...[asJson(filter), limit + 1, after?.id, key].filter((value) => value !== undefined && value !== null),
    );
    const rows = found.slice(0, limit).map(({ row }) => JSON.parse(row));
    const last = found.length > limit ? rows.at(-1) : undefined;
    const reached = last && (field === 'name' ? nameKey(last.name) : (last[field] ?? null));
    return { rows: rows.map(show), next: last && { key: reached, id: last.id } };
  }

  /** Several queries on one snapshot. */
  async #atOnce(answer) {
    this.#query('BEGIN');
    try {
      return answer();
    } finally {
      this.#query('COMMIT');
    }
  }
}
