import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startClassic } from '../end-to-end/running-classic.ts';
import { npmPackages } from './tools.ts';

/*
 * The story that generated clients of the classic petstore tell, in a new store. Each program prints one line for each step.
 *
 * 1. Add the pet 820001, and look it up.
 * 2. Find it by its status and by its tag.
 * 3. Rename it with the form, whose response differs between the versions.
 * 4. Order it as order 77, and try to order it once more.
 * 5. Cancel the order.
 * 6. Send a picture of five bytes.
 * 7. Delete the pet, and look it up again.
 */
const storyOf = (version: ClassicVersion) => [
  'pet 820001 doggie available Dogs friendly',
  'found 820001 820001',
  version === 'v2' ? 'form 820001' : 'form 820001 Rex',
  'order 77 for 820001 placed',
  'refused 400 Pet 820001 is pending; only an available pet can be ordered.',
  'cancelled',
  'picture 5 bytes received for pet 820001; this store keeps no pictures.',
  'deleted',
  'refused 404 There is no pet 820001.',
];

export type ClassicVersion = 'v2' | 'v3';

const DOCUMENTS = { v2: '/v2/swagger.json', v3: '/v3/openapi.json' } as const;

/** Runs a program against a new classic transport, and compares what it prints with the story. */
export async function tellsTheClassicStory(version: ClassicVersion, program: (url: string) => Promise<string>) {
  const classic = await startClassic();
  try {
    const printed = await program(`${classic.classic}/${version}`);
    expect(printed.trim().split(/\r?\n/)).to.deep.equal(storyOf(version));
  } finally {
    await classic.stop();
  }
}

/** Writes the document that the classic transport serves into a folder, and returns its path. */
export async function classicDocument(version: ClassicVersion, folder: string): Promise<string> {
  const classic = await startClassic();
  try {
    const file = join(folder, `classic-${version}.json`);
    await writeFile(file, await (await fetch(`${classic.classic}${DOCUMENTS[version]}`)).text());
    return file;
  } finally {
    await classic.stop();
  }
}

/** The path of the Swagger 2.0 document of the classic petstore as others published it. */
export async function publishedDocument(): Promise<string> {
  const tools = await npmPackages('oas-examples-8.2.2', ['@readme/oas-examples@8.2.2']);
  return join(tools, 'node_modules/@readme/oas-examples/2.0/json/petstore.json');
}
