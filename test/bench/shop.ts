import type { Container } from 'inversify';
import { Auditor, type AuditReport } from '../../src/application/auditor.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';
import type { PetStatus } from '../../src/domain/pet-status.ts';
import { nameKey } from '../../src/domain/text.ts';

/* The shop that is measured. Every pet is a function of its id, so that the load process knows which pets can be ordered. */

export const CATEGORIES = 100;

/** Units of a pet: more than any run orders. */
const PLENTY = 1_000_000;
const WORDS = ['Amber', 'Brisk', 'Clever', 'Dusty', 'Eager', 'Fluffy', 'Gentle', 'Happy', 'Inky', 'Jolly', 'Zoë'];

/** Of ten pets eight are available, one is held and one is sold. */
export function statusOfPet(id: number): PetStatus {
  return id % 10 === 0 ? 'sold' : id % 10 === 5 ? 'pending' : 'available';
}

export function categoryRow(id: number) {
  const name = `Category ${id}`;
  return { id, name, nameKey: nameKey(name) };
}

/** The row of a pet without orders, and the units of its movements in the ledger. */
export function petRow(id: number) {
  const name = `${WORDS[id % WORDS.length]} ${id}`;
  const status = statusOfPet(id);
  const opened = status === 'sold' ? 0 : 1;
  const counted = status === 'available' ? PLENTY - opened : 0;
  return {
    id,
    name,
    nameKey: nameKey(name),
    // Knuth's multiplicative hash: scattered, and unrelated to the status.
    categoryId: 1 + ((Math.imul(id, 2_654_435_761) >>> 16) % CATEGORIES),
    quantity: opened + counted,
    held: status === 'pending' ? 1 : 0,
    status,
    opened,
    counted,
  };
}

/** Makes the tables of a shop with the service's own storage. `url` is a `DATABASE_URL`, here and below. */
export async function openShop(url: string): Promise<void> {
  await withShop(url, async () => undefined);
}

/** Creates an API key with the scopes of the measured operations, in a shop that no process has open. Returns its secret. */
export async function issueKey(url: string): Promise<string> {
  const key = { name: 'Load', scopes: ['pets:read', 'store:write'] } as const;
  const { secret } = await withShop(url, (container) => container.get(KeyDesk).issue(key));
  return secret;
}

/** The report of the service's own audit on a shop that no process has open. */
export function auditShop(url: string): Promise<AuditReport> {
  return withShop(url, (container) => container.get(Auditor).audit());
}

/** Runs an action on a shop that is open as the service opens it. */
async function withShop<Result>(url: string, action: (container: Container) => Promise<Result>): Promise<Result> {
  const container = await compose(optionsWith({ databaseUrl: url }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    return await action(container);
  } finally {
    await storage.close();
  }
}
