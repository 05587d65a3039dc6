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

export function categoryRow(id: number) {
  const name = `Category ${id}`;
  return { id, name, nameKey: nameKey(name) };
}

/** A pet as the tables have it, of which nothing is reserved, and the units that its ledger says came in. */
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

/** Makes the tables of a shop, by the service's own storage. `url` is what `DATABASE_URL` would be, as in all that follows. */
export async function openShop(url: string): Promise<void> {
  await withShop(url, async () => undefined);
}

/** Makes an API key that opens what is measured, in a shop that nobody has open. Gives its secret. */
export async function issueKey(url: string): Promise<string> {
  const wish = { name: 'Load', scopes: ['pets:read', 'store:write'] } as const;
  const { secret } = await withShop(url, (container) => container.get(KeyDesk).issue(wish));
  return secret;
}

/** What the service's own audit says of a shop, once nobody has it open any more. */
export function auditShop(url: string): Promise<AuditReport> {
  return withShop(url, (container) => container.get(Auditor).audit());
}

/** Lets something be done with a shop, opened as the service opens it. */
async function withShop<Result>(url: string, doing: (container: Container) => Promise<Result>): Promise<Result> {
  const container = await compose(optionsWith({ databaseUrl: url }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    return await doing(container);
  } finally {
    await storage.close();
  }
}
