import assert from 'node:assert/strict';
import { ApiKey } from '../../domain/api-key.ts';
import { Category } from '../../domain/category.ts';
import { Pet } from '../../domain/pet.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Texts that a storage may take for something else, bring to another form, or cut. */
const TEXTS: Readonly<Record<string, string>> = {
  'letters with their marks apart': 'e\u0301clairs',
  'letters with their marks': '\u00e9clairs',
  'white space at both ends': '\u00a0\u2003Dogs \u3000',
  'several spaces': 'Big   Dogs',
  'ligatures and full-width letters': '\ufb01sh \uff24\uff4f\uff47',
  'invisible characters': '\ufeffDo\u00adgs\u200b\u200d\u202e',
  'emoji of several code points': '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f \u{1f1eb}\u{1f1f7}',
  'the highest code point': '\u{10ffff}',
  'line separators': 'one\u2028two\u2029three',
  'upper and lower case': 'dOGS \u0130\u0131 \u1e9e\u00df',
  'a number': '007',
  'another number': '1e3',
  'a word of JSON': 'null',
  'a piece of JSON': '{"id": 1}',
  quotes: `'O''Malley' "x" \`y\``,
  backslashes: '\\n \\u0041 \\',
  placeholders: '? $1 :name %s {}',
};

export function exactTextChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('stores text to the letter, so it', () => {
    beforeEach(async () => {
      const { categories, pets } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await storage.work.write(({ apiKeys }) =>
        apiKeys.add(ApiKey.issue({ id: 1, name: 'till', scopes: [], digest: 'd', createdAt: 0 })),
      );
    });

    for (const [what, text] of Object.entries(TEXTS)) {
      it(`returns names and descriptions with ${what} as they were saved`, async () => {
        const { work, reader } = storage;

        await work.write(async ({ categories, pets, apiKeys }) => {
          await categories.save(Category.recall({ id: 1, name: text, description: text }));
          await pets.save(Pet.recall({ id: 1, name: text, categoryId: 1 }));
          await apiKeys.save(ApiKey.recall({ id: 1, name: text, scopes: [], digest: 'd', createdAt: 0 }));
        });

        assert.deepEqual(await reader.category(1), { id: 1, name: text, description: text });
        assert.equal((await reader.pet(1))?.name, text);
        assert.equal((await reader.apiKey(1))?.name, text);
        const all = { sort: { by: 'id' }, limit: 9 } as const;
        assert.deepEqual((await reader.categories({}, all)).rows, [{ id: 1, name: text, description: text }]);
        assert.equal((await reader.pets({}, all)).rows[0]?.name, text);
        const expand = { category: true, inventory: false };
        assert.partialDeepStrictEqual(await reader.storePet(1, expand), {
          name: text,
          category: { description: text },
        });
        await work.write(async ({ categories, pets, apiKeys }) => {
          assert.deepEqual((await categories.lock(1))?.snapshot(), { id: 1, name: text, description: text });
          assert.equal((await pets.find(1))?.name, text);
          assert.equal((await apiKeys.lock(1))?.snapshot().name, text);
        });
      });
    }
  });
}
