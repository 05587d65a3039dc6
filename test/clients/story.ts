import { join } from 'node:path';
import { expect } from 'chai';
import { startPetstore } from '../end-to-end/built-petstore.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/*
 * The story that every generated client tells, in a new store. Each program prints one line for each step.
 *
 * 1. Create the category Dogs.
 * 2. Create the pet Rex with an Idempotency-Key, and send the same request again: the response has the same id.
 * 3. Create Tim as pending and Tom as sold, and list the available and pending pets.
 * 4. Order one Rex, with a ship date (printed in seconds since 1970).
 * 5. Remove the ship date with `null`.
 * 6. Complete the order.
 * 7. Cancel the complete order: 409.
 * 8. Rename Rex with an If-Match that does not hold: 412.
 */
const STORY = [
  'category 1 Dogs',
  'pet 1 Rex available',
  'pet 1 again',
  'list Rex Tim',
  'order 1 ships 1798102800',
  'order 1 has no ship date',
  'order 1 complete',
  'refused 409 order_already_complete',
  'refused 412 precondition_failed',
];

/** Runs a program against a new service, and compares what it prints with the story. */
export async function tellsTheStory(program: (url: string) => Promise<string>): Promise<void> {
  const folder = await temporaryFolder();
  const petstore = await startPetstore(join(folder, 'story.db'));
  try {
    const printed = await program(petstore.url);
    expect(printed.trim().split(/\r?\n/)).to.deep.equal(STORY);
  } finally {
    await petstore.stop();
    await removeFolder(folder);
  }
}
