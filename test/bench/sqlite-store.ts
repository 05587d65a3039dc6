import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { CATEGORIES, categoryRow, openShop, petRow } from './shop.ts';
import type { Store } from './store.ts';

/** Files in a folder. */
export class SqliteStore implements Store {
  readonly name = 'sqlite';
  readonly floor = fileURLToPath(new URL('floor.ts', import.meta.url));
  readonly environment = {};
  readonly pid = undefined;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async makeShop(name: string, pets: number): Promise<string> {
    const file = this.#fileOf(name);
    await openShop(`sqlite:${file}`);
    const database = new Database(file);
    database.pragma('synchronous = off');
    database.pragma('cache_size = -200000');
    database.exec('begin immediate');
    fill(database, pets);
    database.exec('commit');
    database.close();
    return `sqlite:${file}`;
  }

  async copyShop(url: string, name: string): Promise<string> {
    const file = this.#fileOf(name);
    await copyFile(fileIn(url), file);
    return `sqlite:${file}`;
  }

  async removeShop(url: string): Promise<void> {
    await rm(fileIn(url));
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.db`);
  }
}

function fileIn(url: string): string {
  return url.slice('sqlite:'.length);
}

function fill(database: Database, pets: number): void {
  const addCategory = database.prepare('insert into categories (id, name, name_key) values (?, ?, ?)');
  const addPet = database.prepare(
    'insert into pets (id, name, name_key, category_id, quantity, reserved, held, status) values (?, ?, ?, ?, ?, 0, ?, ?)',
  );
  const addMovement = database.prepare(
    'insert into movements (pet_id, kind, quantity, reserved, at) values (?, ?, ?, 0, ?)',
  );
  const at = Date.now();

  for (let id = 1; id <= CATEGORIES; id++) {
    const { name, nameKey } = categoryRow(id);
    addCategory.run(id, name, nameKey);
  }
  for (let id = 1; id <= pets; id++) {
    const { name, nameKey, categoryId, quantity, held, status, opened, counted } = petRow(id);
    addPet.run(id, name, nameKey, categoryId, quantity, held, status);
    addMovement.run(id, 'opened', opened, at);
    if (counted > 0) addMovement.run(id, 'counted', counted, at);
  }
}
