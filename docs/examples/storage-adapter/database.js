import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Storage, StorageRefused } from 'petstore-service/ports/storage';
import { StorageUnavailable } from 'petstore-service/ports/unit-of-work';

/** Marks a file as ours: SQLite stores this number in its header. */
const APPLICATION_ID = 0x41434d45;

/**
 * AUTOINCREMENT, because an identifier is never used twice. Names are compared, searched and sorted by their keys: SQLite
 * compares text by its bytes in UTF-8, which is the order of code points.
 */
const SCHEMA = `
  CREATE TABLE categories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    nameKey TEXT NOT NULL UNIQUE,
    description TEXT
  );
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    nameKey TEXT NOT NULL,
    categoryId INTEGER NOT NULL REFERENCES categories,
    quantity INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    held INTEGER NOT NULL,
    status TEXT NOT NULL
  );
  CREATE INDEX pets_by_name ON pets (nameKey, id);
  CREATE INDEX pets_by_quantity ON pets (quantity, id);
  CREATE INDEX pets_by_category ON pets (categoryId, id);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    petId INTEGER NOT NULL REFERENCES pets,
    quantity INTEGER NOT NULL,
    shipDate INTEGER,
    complete INTEGER NOT NULL
  );
  CREATE INDEX orders_by_pet ON orders (petId, id);
  CREATE INDEX orders_by_ship_date ON orders (shipDate, id);
  CREATE TABLE movements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    petId INTEGER NOT NULL REFERENCES pets ON DELETE CASCADE,
    kind TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    orderId INTEGER,
    at INTEGER NOT NULL
  );
  CREATE INDEX movements_by_pet ON movements (petId, id);
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE TABLE idempotency (
    requestId BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    response BLOB NOT NULL,
    savedAt INTEGER NOT NULL
  );
  CREATE INDEX idempotency_by_age ON idempotency (savedAt);
  CREATE TABLE apiKeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    digest TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER,
    revokedAt INTEGER
  );
  CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    data TEXT NOT NULL
  );
  CREATE TABLE webhookDeliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhookId INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    createdAt INTEGER NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX deliveries_by_webhook ON webhookDeliveries (webhookId, id);
  CREATE INDEX deliveries_by_age ON webhookDeliveries (createdAt, id);
  PRAGMA application_id = ${APPLICATION_ID};
`;

/** SQLite's result codes, in the lowest byte of an error's `errcode`. */
const [BUSY, CONSTRAINT, NOT_A_DATABASE] = [5, 19, 26];
const resultCodeOf = (error) => (error.errcode ?? 0) & 0xff;

/** The file is locked by another process: try again later. */
export class Busy extends Error {}

/** One connection to the file. */
class Connection {
  #database;

  constructor(path) {
    this.#database = new DatabaseSync(path, { timeout: 5_000 });
  }

  /** All rows of the result. @throws {Busy | StorageUnavailable} and SQLite's own error for a violated constraint */
  all(sql, ...values) {
    try {
      return this.#database.prepare(sql).all(...values);
    } catch (error) {
      if (resultCodeOf(error) === CONSTRAINT) throw error;
      if (resultCodeOf(error) === BUSY) throw new Busy('The database is locked.', { cause: error });
      throw new StorageUnavailable('The database does not respond.', { cause: error });
    }
  }

  /** The first row, or undefined. */
  get(sql, ...values) {
    return this.all(sql, ...values)[0];
  }

  execute(statements) {
    this.#database.exec(statements);
  }

  get isInTransaction() {
    return this.#database.isTransaction;
  }

  close() {
    this.#database.close();
  }
}

/** The file. It has two connections: readers see committed data only, also while a unit of work is in progress. */
export class Database extends Storage {
  #path;
  #connections;
  /** Resolves when the last unit of work has ended. */
  lastUnit = Promise.resolve();
  /** Ends the unit of work in progress. */
  abortUnit = () => undefined;

  constructor(path) {
    super();
    this.#path = path;
  }

  async open({ migrate = true } = {}) {
    if (!migrate && !existsSync(this.#path))
      throw new StorageRefused(`There is no ${this.#path}; start the service first.`);
    const writer = new Connection(this.#path);
    try {
      this.#prepare(writer, migrate);
    } catch (error) {
      writer.close();
      const cause = error.cause ?? error;
      throw resultCodeOf(cause) === NOT_A_DATABASE ? new StorageRefused(`${this.#path} is not a database.`) : error;
    }
    this.#connections = { writer, reader: new Connection(this.#path) };
  }

  /** Looks first, and changes the file only if it is empty or ours. */
  #prepare(writer, migrate) {
    const { tables } = writer.get('SELECT count(*) AS tables FROM sqlite_schema');
    const { application_id: owner } = writer.get('PRAGMA application_id');
    if (tables > 0 && owner !== APPLICATION_ID) throw new StorageRefused(`${this.#path} belongs to another program.`);
    if (tables === 0 && !migrate)
      throw new StorageRefused(`There is no store in ${this.#path}; start the service first.`);
    writer.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    if (tables === 0) writer.execute(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
    // From now on, waiting for another process must not block the event loop.
    writer.execute('PRAGMA busy_timeout = 0;');
  }

  async close() {
    const open = this.#connections;
    this.#connections = undefined;
    this.abortUnit(new StorageUnavailable('The database was closed.'));
    await this.lastUnit;
    open?.reader.close();
    open?.writer.close();
  }

  async check() {
    this.reader.get('SELECT 1');
  }

  get writer() {
    return this.#connection('writer');
  }

  get reader() {
    return this.#connection('reader');
  }

  #connection(name) {
    if (!this.#connections) throw new StorageUnavailable('The database is closed.');
    return this.#connections[name];
  }
}

/** A row as the ports show it: without the columns that have no value. */
export function withoutNulls(row) {
  return row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
