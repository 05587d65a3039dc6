import { ApiKey } from 'petstore-service/domain/api-key';
import { Category } from 'petstore-service/domain/category';
import { InventoryItem } from 'petstore-service/domain/inventory-item';
import { Order } from 'petstore-service/domain/order';
import { Pet } from 'petstore-service/domain/pet';
import { statusOf } from 'petstore-service/domain/pet-status';
import { CategoryNameTaken } from 'petstore-service/domain/refusals';
import { nameKey } from 'petstore-service/domain/text';
import { withoutNulls } from './database.js';
import { webhookDeliveryRepository, webhookRepository } from './webhooks.js';

/** The repositories of one unit of work. `query` runs a statement in its transaction and returns the rows. */
export function writeScope(query) {
  const nextId = identifiers(query);
  return {
    categories: categoryRepository(query, nextId),
    pets: petRepository(query, nextId),
    inventory: inventoryRepository(query),
    orders: orderRepository(query, nextId),
    ledger: {
      async append({ petId, kind, quantity, reserved, orderId = null, at }) {
        query(
          'INSERT INTO movements (petId, kind, quantity, reserved, orderId, at) VALUES (?, ?, ?, ?, ?, ?)',
          ...[petId, kind, quantity, reserved, orderId, at],
        );
      },
    },
    outbox: {
      async append({ type, data, at }) {
        query('INSERT INTO events (type, data, at) VALUES (?, ?, ?)', type, JSON.stringify(data), at);
      },
      async purge({ before, upTo }, most) {
        const oldest = query('SELECT position, at FROM events ORDER BY position LIMIT ?', most);
        const kept = oldest.findIndex(({ position, at }) => position > upTo && at >= before);
        const last = oldest.at(kept < 0 ? -1 : kept)?.position ?? 0;
        const comparison = kept < 0 ? '<=' : '<';
        return query(`DELETE FROM events WHERE position ${comparison} ? RETURNING position`, last).length;
      },
    },
    idempotency: idempotencyStore(query),
    apiKeys: apiKeyRepository(query, nextId),
    webhooks: webhookRepository(query, nextId),
    webhookDeliveries: webhookDeliveryRepository(query, nextId),
  };
}

/** SQLite remembers the last identifier of a table, also when its row was deleted. Several may be taken before they are used. */
function identifiers(query) {
  const taken = new Map();
  return async (table) => {
    const [row] = query('SELECT seq AS last FROM sqlite_sequence WHERE name = ?', table);
    const id = Math.max(row?.last ?? 0, taken.get(table) ?? 0) + 1;
    taken.set(table, id);
    return id;
  };
}

/** A lock needs no statement: the unit of work has locked the whole file. */
function categoryRepository(query, nextId) {
  const assertNameIsFree = ({ id, name }) => {
    const [other] = query('SELECT id FROM categories WHERE nameKey = ? AND id <> ?', nameKey(name), id);
    if (other) throw new CategoryNameTaken(name);
  };
  return {
    nextId: () => nextId('categories'),
    exists: async (id) => query('SELECT id FROM categories WHERE id = ?', id).length > 0,
    async lock(id) {
      const [row] = query('SELECT id, name, description FROM categories WHERE id = ?', id);
      return row && Category.recall(withoutNulls(row));
    },
    async add(category) {
      assertNameIsFree(category);
      const { id, name, description = null } = category.snapshot();
      query(
        'INSERT INTO categories (id, name, nameKey, description) VALUES (?, ?, ?, ?)',
        ...[id, name, nameKey(name), description],
      );
    },
    async save(category) {
      assertNameIsFree(category);
      const { id, name, description = null } = category.snapshot();
      query(
        'UPDATE categories SET name = ?, nameKey = ?, description = ? WHERE id = ?',
        ...[name, nameKey(name), description, id],
      );
    },
    isInUse: async (id) => query('SELECT id FROM pets WHERE categoryId = ? LIMIT 1', id).length > 0,
    async delete(id) {
      query('DELETE FROM categories WHERE id = ?', id);
    },
  };
}

/** A pet and its inventory entry are one row, so that neither exists without the other. */
function petRepository(query, nextId) {
  return {
    nextId: () => nextId('pets'),
    async find(id) {
      const [row] = query('SELECT id, name, categoryId FROM pets WHERE id = ?', id);
      return row && Pet.recall(row);
    },
    async add(pet, item) {
      const { id, name, categoryId } = pet.snapshot();
      const { quantity, reserved, held } = item.snapshot();
      query(
        `INSERT INTO pets (id, name, nameKey, categoryId, quantity, reserved, held, status)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[id, name, nameKey(name), categoryId, quantity, reserved, Number(held), item.status],
      );
    },
    async save(pet) {
      const { id, name, categoryId } = pet.snapshot();
      query(
        'UPDATE pets SET name = ?, nameKey = ?, categoryId = ? WHERE id = ?',
        ...[name, nameKey(name), categoryId, id],
      );
    },
    async delete(id) {
      query('DELETE FROM pets WHERE id = ?', id);
    },
  };
}

function inventoryRepository(query) {
  return {
    async lock(petId) {
      const [row] = query('SELECT id AS petId, quantity, reserved, held FROM pets WHERE id = ?', petId);
      return row && InventoryItem.recall({ ...row, held: row.held === 1 });
    },
    async save(item) {
      const { petId, quantity, reserved, held } = item.snapshot();
      query(
        'UPDATE pets SET quantity = ?, reserved = ?, held = ?, status = ? WHERE id = ?',
        ...[quantity, reserved, Number(held), statusOf({ quantity, reserved, held }), petId],
      );
    },
  };
}

function orderRepository(query, nextId) {
  return {
    nextId: () => nextId('orders'),
    async lock(id) {
      const [row] = query('SELECT id, petId, quantity, shipDate, complete FROM orders WHERE id = ?', id);
      return row && Order.recall({ ...withoutNulls(row), complete: row.complete === 1 });
    },
    async add(order) {
      const { id, petId, quantity, shipDate = null, complete } = order.snapshot();
      query(
        'INSERT INTO orders (id, petId, quantity, shipDate, complete) VALUES (?, ?, ?, ?, ?)',
        ...[id, petId, quantity, shipDate, Number(complete)],
      );
    },
    async save(order) {
      const { id, quantity, shipDate = null, complete } = order.snapshot();
      query(
        'UPDATE orders SET quantity = ?, shipDate = ?, complete = ? WHERE id = ?',
        ...[quantity, shipDate, Number(complete), id],
      );
    },
    async delete(id) {
      query('DELETE FROM orders WHERE id = ?', id);
    },
    existFor: async (petId) => query('SELECT id FROM orders WHERE petId = ? LIMIT 1', petId).length > 0,
  };
}

/** Texts are stored as bytes: they may contain any characters, and a text of SQLite may end at the first U+0000. */
function idempotencyStore(query) {
  const text = (bytes) => Buffer.from(bytes).toString();
  return {
    async lock(requestId) {
      const [row] = query(
        'SELECT fingerprint, response, savedAt FROM idempotency WHERE requestId = ?',
        Buffer.from(requestId),
      );
      return row && { fingerprint: text(row.fingerprint), response: text(row.response), savedAt: row.savedAt };
    },
    async save(requestId, { fingerprint, response, savedAt }) {
      query(
        'INSERT OR REPLACE INTO idempotency (requestId, fingerprint, response, savedAt) VALUES (?, ?, ?, ?)',
        ...[Buffer.from(requestId), Buffer.from(fingerprint), Buffer.from(response), savedAt],
      );
    },
    async deleteExpired(savedBefore, most) {
      return query(
        `DELETE FROM idempotency WHERE requestId IN
           (SELECT requestId FROM idempotency WHERE savedAt < ? ORDER BY savedAt, requestId LIMIT ?)
         RETURNING requestId`,
        ...[savedBefore, most],
      ).length;
    },
  };
}

/** An API key as a row, and back. */
export const recallKey = (row) => ApiKey.recall({ ...withoutNulls(row), scopes: JSON.parse(row.scopes) });
export const KEY_COLUMNS = 'id, name, scopes, digest, createdAt, expiresAt, revokedAt';

function apiKeyRepository(query, nextId) {
  const valuesOf = ({ name, scopes, digest, createdAt, expiresAt = null, revokedAt = null }) => [
    ...[name, JSON.stringify(scopes), digest, createdAt, expiresAt, revokedAt],
  ];
  return {
    nextId: () => nextId('apiKeys'),
    async lock(id) {
      const [row] = query(`SELECT ${KEY_COLUMNS} FROM apiKeys WHERE id = ?`, id);
      return row && recallKey(row);
    },
    async add(key) {
      query(`INSERT INTO apiKeys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, key.id, ...valuesOf(key.snapshot()));
    },
    async save(key) {
      query(
        `UPDATE apiKeys SET name = ?, scopes = ?, digest = ?, createdAt = ?, expiresAt = ?, revokedAt = ?
         WHERE id = ?`,
        ...valuesOf(key.snapshot()),
        key.id,
      );
    },
  };
}
