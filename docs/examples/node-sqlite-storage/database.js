import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Storage, StorageRefused } from 'petstore-service/ports/storage';
import { StorageUnavailable } from 'petstore-service/ports/unit-of-work';

/** Rows are JSON; generated columns extract what is searched, sorted or referenced. */
const table = (name, ...columns) => {
  const taken = columns.map((column) => column.replace(/^\w+/, (field) => `${field} AS (row ->> '${field}')`));
  return `CREATE TABLE ${name} (${['id INTEGER PRIMARY KEY AUTOINCREMENT', 'row TEXT NOT NULL', ...taken].join()});`;
};
const index = (name, column) => `CREATE INDEX ${name}_${column} ON ${name} (${column}, id);`;
const ACME = 0x41434d45;
const SCHEMA = [
  table('categories', 'nameKey UNIQUE'),
  table('pets', 'nameKey', 'status', 'quantity', 'reserved', 'held', 'categoryId REFERENCES categories'),
  table('orders', 'quantity', 'complete', 'shipDate', 'petId REFERENCES pets'),
  table('movements', 'quantity', 'reserved', 'petId REFERENCES pets ON DELETE CASCADE'),
  table('idempotency', 'requestId UNIQUE', 'savedAt'),
  ...['events', 'apiKeys'].map((name) => table(name)),
  ...['nameKey', 'quantity', 'categoryId'].map((column) => index('pets', column)),
  ...['shipDate', 'petId'].map((column) => index('orders', column)),
  ...[index('movements', 'petId'), index('idempotency', 'savedAt')],
  `PRAGMA application_id = ${ACME};`,
].join('\n');
const LOOK = 'SELECT count(name) AS things, application_id AS mark FROM pragma_application_id LEFT JOIN sqlite_schema';

/** Two connections to one file: the reader sees committed data only, also while the writer is in a transaction. */
export class Database extends Storage {
  #path;
  /** Empty, unless the storage is open. */
  connections = {};
  /** Resolves when the last unit of work has ended. */
  turn = Promise.resolve();
  /** Aborts the unit of work that is in progress. */
  interrupt = () => undefined;

  constructor(path) {
    super();
    this.#path = path;
  }

  /** With `migrate: false`, a store that does not exist is not created. */
  async open({ migrate = true } = {}) {
    if (!migrate && !existsSync(this.#path)) throw new StorageRefused(`There is no ${this.#path}.`);
    const [writer, reader] = [new DatabaseSync(this.#path, { timeout: 5_000 }), new DatabaseSync(this.#path)];
    try {
      const [{ things, mark }] = ask(writer, LOOK);
      if (things > 0 && mark !== ACME) throw new StorageRefused(`${this.#path} belongs to another program.`);
      if (things === 0 && !migrate) throw new StorageRefused(`There is no store in ${this.#path}.`);
      writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      if (things === 0) writer.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
      // From here on, waiting for another process must not block the event loop.
      writer.exec('PRAGMA busy_timeout = 0');
      this.connections = { writer, reader };
    } catch (error) {
      for (const connection of [writer, reader]) connection.close();
      throw resultOf(error) === NO_DATABASE ? new StorageRefused(`${this.#path} is no database.`) : error;
    }
  }

  async close() {
    const connections = Object.values(this.connections);
    this.connections = {};
    this.interrupt(new StorageUnavailable('The database was closed.'));
    await this.turn;
    for (const connection of connections) connection.close();
  }

  async check() {
    ask(this.connections.reader, 'SELECT 1');
  }
}

/** SQLite's result codes: another process is writing; a constraint is violated; the file is not a database. */
export const [BUSY, CONSTRAINT, NO_DATABASE] = [5, 19, 26];
export const resultOf = ({ errcode = 0, cause }) => (cause ? resultOf(cause) : errcode & 0xff);

/** A violated constraint is thrown as it is; every other failure becomes the error of the port. @throws {StorageUnavailable} */
export function ask(connection, sql, ...values) {
  try {
    return connection.prepare(sql).all(...values);
  } catch (error) {
    if (resultOf(error) === CONSTRAINT) throw error;
    throw new StorageUnavailable('The database does not answer.', { cause: error });
  }
}

/** Text that sorts by code points, whatever characters it contains. */
export const hex = (text) => Buffer.from(text).toString('hex');
