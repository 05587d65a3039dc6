import assert from 'node:assert/strict';
import { Category } from '../../domain/category.ts';
import { CategoryNameTaken } from '../../domain/refusals.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Pairs of spellings that are one name. */
const SAME = [
  ['Dogs', 'Dogs'],
  ['Dogs', 'dOGS'],
  ['straße', 'STRASSE'],
  ['Éclairs', 'e\u0301clairs'],
  ['ΟΔΟΣ', 'οδος'],
  ['ﬁsh', 'FISH'],
  ['Ǆ', 'ǆ'],
  ['𐐀', '𐐨'],
] as const;

/** Variants that leave a name the same: a pair of spellings each. */
const VARIANTS: Record<string, readonly [string, string]> = {
  'full-width letters': ['Dogs', '\uff24\uff4f\uff47\uff53'],
  'mathematical letters': ['Dogs', '\u{1d403}\u{1d428}\u{1d420}\u{1d42c}'],
  'a ligature': ['Office', 'o\ufb03ce'],
  'a capital sharp s': ['Strasse', 'STRA\u1e9eE'],
  'a dotless i': ['Fish', 'f\u0131sh'],
  'a dotted capital I': ['Fish', 'F\u0130SH'],
  'a dot set above an i': ['Fish', 'fi\u0307sh'],
  'a long s': ['Dogs', 'Dog\u017f'],
  'the sign for kelvin': ['Koi', '\u212aoi'],
  'a final sigma in the middle': ['ΟΔΟΣ', 'ο\u03b4ο\u03c2'],
  'marks in another order': ['a\u0323\u0301', 'a\u0301\u0323'],
  'a soft hyphen': ['Dogs', 'Do\u00adgs'],
  'a zero-width space': ['Dogs', '\u200bDogs'],
  'a zero-width joiner': ['Dogs', 'Dog\u200ds'],
  'a zero-width space behind a space': ['Dogs', 'Dogs \u200b'],
  'a mark kept apart from its letter': ['\u00c9clairs', 'E\u034f\u0301clairs'],
  'a byte order mark inside': ['Dogs', 'Do\ufeffgs'],
  'a change of direction': ['Dogs', '\u202edogs\u202c'],
  'a mark of direction': ['Dogs', 'Dogs\u200f'],
  'a variation selector': ['\u2764', '\u2764\ufe0f'],
  'an invisible tag': ['Dogs', 'Dogs\u{e0061}'],
  'a Hangul filler': ['Dogs', 'Do\u3164gs'],
  'Hangul in its parts': ['\ud55c', '\u1112\u1161\u11ab'],
  'compatible Hangul': ['\u1112\u1161', '\u314e\u314f'],
  'half-width Katakana': ['\u30ac\u30c3\u30d4\u30fc', '\uff76\uff9e\uff6f\uff8b\uff9f\uff70'],
  'a no-break space': ['Big Dogs', 'Big\u00a0Dogs'],
};

/** Pairs of different names, however alike they look or sort. */
const DIFFERENT = [
  ['Dogs', 'Dog'],
  ['Eclairs', 'Éclairs'],
  ['Dogs', 'Dоgs'],
  ['a_b', 'axb'],
  ['a%', 'a'],
  ['\u{1F600}', '\u{1F601}'],
  ['Ωmega', 'Omega'],
  ['Dogs', 'Dog s'],
  ['\u200b', '\u200d'],
  ['\u3164', '\u200b\u3164'],
] as const;

export function namesChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('keeps names unique, so it', () => {
    const add = (storage: OpenedStorage, id: number, name: string) =>
      storage.work.write(({ categories }) => categories.add(Category.recall({ id, name })));
    const save = (storage: OpenedStorage, id: number, name: string) =>
      storage.work.write(({ categories }) => categories.save(Category.recall({ id, name })));

    for (const [name, other] of SAME) {
      it(`treats ${name} and ${other} as one name`, async () => {
        await add(storage, 1, name);
        await add(storage, 2, 'Birds');

        assertInstance(await failureOf(add(storage, 3, other)), CategoryNameTaken, 'adding');
        assertInstance(await failureOf(save(storage, 2, other)), CategoryNameTaken, 'saving');
        assert.equal(await storage.reader.countCategories({}), 2);
        assert.deepEqual(await storage.reader.category(2), { id: 2, name: 'Birds' });
      });

      it(`lets the category with the name ${name} change it to ${other}`, async () => {
        await add(storage, 1, name);

        await save(storage, 1, name);
        await save(storage, 1, other);

        const stored = await storage.reader.category(1);
        assert.equal(stored?.name.normalize('NFC'), other.normalize('NFC'));
      });
    }

    for (const [variant, [name, other]] of Object.entries(VARIANTS)) {
      it(`treats a name with ${variant} as the same name, and stores it as it was written`, async () => {
        await add(storage, 1, name);

        assertInstance(await failureOf(add(storage, 2, other)), CategoryNameTaken);
        await save(storage, 1, other);

        assertInstance(await failureOf(add(storage, 2, name)), CategoryNameTaken);
        assert.deepEqual(await storage.reader.category(1), { id: 1, name: other });
        for (const beginning of [name, other]) {
          assert.equal(await storage.reader.countCategories({ name: beginning }), 1, 'found');
        }
      });
    }

    for (const [name, other] of DIFFERENT) {
      it(`treats ${plain(name)} and ${plain(other)} as two names`, async () => {
        await add(storage, 1, name);
        await add(storage, 2, other);

        assert.equal(await storage.reader.countCategories({}), 2);
      });
    }

    it('reports which name is taken', async () => {
      await add(storage, 1, 'Dogs');

      const refusal = await failureOf(add(storage, 2, 'DOGS'));

      assertInstance(refusal, CategoryNameTaken);
      assert.match(refusal.message, /"DOGS"/);
    });

    it('detects a name that is used twice in one unit of work', async () => {
      const unit = storage.work.write(async ({ categories }) => {
        await categories.add(Category.recall({ id: 1, name: 'Dogs' }));
        await categories.add(Category.recall({ id: 2, name: 'DOGS' }));
      });

      assertInstance(await failureOf(unit), CategoryNameTaken);
      assert.equal(await storage.reader.countCategories({}), 0);
    });

    it('frees the name of a category that was renamed, deleted or rolled back', async () => {
      await add(storage, 1, 'Dogs');
      await save(storage, 1, 'Hounds');
      await add(storage, 2, 'dogs');
      await storage.work.write(({ categories }) => categories.delete(2));
      await add(storage, 3, 'DOGS');
      await storage.work.write(async ({ categories }) => {
        await categories.delete(3);
        await categories.add(Category.recall({ id: 4, name: 'Dogs' }));
      });
      const undone = storage.work.write(async ({ categories }) => {
        await categories.add(Category.recall({ id: 5, name: 'Cats' }));
        throw new Error('undone');
      });
      await failureOf(undone);
      await add(storage, 5, 'Cats');

      const { rows } = await storage.reader.categories({}, { sort: { by: 'id' }, limit: 9 });
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['Hounds', 'Dogs', 'Cats'],
      );
    });
  });
}

/** The name with its invisible characters written out. */
function plain(name: string): string {
  const codeOf = (character: string) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  return name.replace(/\p{Default_Ignorable_Code_Point}/gu, codeOf);
}
