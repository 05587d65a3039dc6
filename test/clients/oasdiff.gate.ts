import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Json, RELEASED } from '../docs/document.ts';
import { freshFolder } from '../support/temporary.ts';
import { DOCUMENT, goCommand, needs, run } from './tools.ts';

const MODULE = 'github.com/oasdiff/oasdiff@v1.28.0';

describe('oasdiff', function () {
  this.timeout(600_000);
  const work = freshFolder();
  needs('go');

  /** Fails if clients of the old document could fail with a service of the new one. */
  async function compare(old: string, changed: string): Promise<void> {
    const oasdiff = await goCommand('oasdiff-1.28.0', MODULE);
    await run(oasdiff, ['breaking', old, changed, '--fail-on', 'WARN'], work());
  }

  /** The document with a change. */
  async function withChange(change: (document: Json) => void): Promise<string> {
    const document = JSON.parse(await readFile(DOCUMENT, 'utf8'));
    change(document);
    const file = join(work(), 'changed.json');
    await writeFile(file, JSON.stringify(document));
    return file;
  }

  it('finds no breaking change since the last release', async () => {
    await compare(RELEASED, DOCUMENT);
  });

  it('accepts additions', async () => {
    const file = await withChange(({ paths, components: { schemas } }) => {
      schemas.Pet.properties.colour = { type: 'string', description: 'The colour.' };
      schemas.NewPet.properties.colour = { type: 'string', description: 'The colour.' };
      paths['/pets/all'] = structuredClone({ get: { ...paths['/pets'].get, operationId: 'listAllPets' } });
    });

    await compare(DOCUMENT, file);
  });

  const breaks: [string, (document: Json) => void][] = [
    ['an operation that is removed', ({ paths }) => delete paths['/store/orders'].post],
    ['a parameter that is removed', ({ paths }) => paths['/pets'].get.parameters.splice(0, 1)],
    ['a field that becomes required', ({ components: { schemas } }) => schemas.NewOrder.required.push('quantity')],
    ['a field of a response that is removed', ({ components: { schemas } }) => delete schemas.Order.properties.petId],
    ['a field of another type', ({ components: { schemas } }) => (schemas.Pet.properties.name = { type: 'integer' })],
    ['a smaller limit', ({ components: { schemas } }) => (schemas.NewOrder.properties.quantity.maximum = 9)],
    ['an enumeration that shrinks', ({ components: { schemas } }) => schemas.PetSort.enum.pop()],
    ['a status that is gone', ({ paths }) => delete paths['/pets'].post.responses['201']],
  ];
  for (const [name, change] of breaks) {
    it(`rejects ${name}`, async () => {
      const file = await withChange(change);

      const result = await compare(DOCUMENT, file).catch((error: unknown) => String(error));

      expect(result).to.match(/error/i).and.to.include('at ');
    });
  }
});
