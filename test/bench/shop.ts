import Database from 'better-sqlite3';
import type { Container } from 'inversify';
import { Auditor, type AuditReport } from '../../src/application/auditor.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';
import type { PetStatus } from '../../src/domain/pet-status.ts';
import { nameKey } from '../../src/domain/text.ts';

/* The shop that is measured: every pet of it is a function of its identifier, so that the load knows whom it may order. */

export const CATEGORIES = 100;

/** Units of a pet that can be ordered: more than any run sells. */
const PLENTY = 1_000_000;
const WORDS = ['Amber', 'Brisk', 'Clever', 'Dusty', 'Eager', 'Fluffy', 'Gentle', 'Happy', 'Inky', 'Jolly', 'Zoë'];

/** Of ten pets eight are available, one is held and one is sold. */
export function statusOfPet(id: number): PetStatus {
  return id % 10 === 0 ? 'sold' : id % 10 === 5 ? 'pending' : 'available';
}

function categoryOf(id: number): number {
  // Knuth's multiplicative hash: scattered, and unrelated to the status.
  return 1 + ((Math.imul(id, 2_654_435_761) >>> 16) % CATEGORIES);
}

/** Makes a database file with `pets` pets, migrated by the service's own storage. */
export async function openShop(file: string, pets: number): Promise<void> {
  await withShop(file, async () => undefined);

  const database = new Database(file);
  database.pragma('synchronous = off');
  database.pragma('cache_size = -200000');
  database.exec('begin immediate');
  fill(database, pets);
  database.exec('commit');
  database.close();
}

/** Makes an API key that opens what is measured, in a shop that nobody has open. Gives its secret. */
export async function issueKey(file: string): Promise<string> {
  const wish = { name: 'Load', scopes: ['pets:read', 'store:write'] } as const;
  const { secret } = await withShop(file, (container) => container.get(KeyDesk).issue(wish));
  return secret;
}

/** What the service's own audit says of a shop, once nobody has it open any more. */
export function auditShop(file: string): Promise<AuditReport> {
  return withShop(file, (container) => container.get(Auditor).audit());
}

/** Lets something be done with a shop, opened as the service opens it. */
async function withShop<Result>(file: string, doing: (container: Container) => Promise<Result>): Promise<Result> {
  const container = await compose(optionsWith({ databaseUrl: `sqlite:${file}` }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    return await doing(container);
  } finally {
    await storage.close();
  }
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
    const name = `Category ${id}`;
    addCategory.run(id, name, nameKey(name));
  }
  for (let id = 1; id <= pets; id++) {
    const name = `${WORDS[id % WORDS.length]} ${id}`;
    const status = statusOfPet(id);
    const opened = status === 'sold' ? 0 : 1;
    const counted = status === 'available' ? PLENTY - opened : 0;
    addPet.run(id, name, nameKey(name), categoryOf(id), opened + counted, status === 'pending' ? 1 : 0, status);
    addMovement.run(id, 'opened', opened, at);
    if (counted > 0) addMovement.run(id, 'counted', counted, at);
  }
}
