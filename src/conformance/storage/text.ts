import assert from 'node:assert/strict';
import type { PetSort } from '../../application/ports/reader.ts';
import { compareText, nameKey, tidyText } from '../../domain/text.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

export function textChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('orders and finds text', () => {
    const fill = async (storage: OpenedStorage, names: readonly string[]) => {
      const { categories, pets } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.createAll(names.map((name) => ({ name, categoryId: 1 })));
    };
    const namesBy = async (storage: OpenedStorage, sort: PetSort, name?: string) => {
      const { rows } = await storage.reader.pets({ name }, { sort, limit: 1000 });
      return rows.map((pet) => pet.name);
    };

    it('by code points, not by UTF-16 units', async () => {
      await fill(storage, ['\u{10FFFF}', '\u{1F600}', '\uFD3E', 'z', 'é', 'A']);

      assert.deepEqual(await namesBy(storage, { by: 'name' }), ['A', 'z', 'é', '\uFD3E', '\u{1F600}', '\u{10FFFF}']);
      assert.deepEqual(await namesBy(storage, { by: 'name', descending: true }), [
        '\u{10FFFF}',
        '\u{1F600}',
        '\uFD3E',
        'é',
        'z',
        'A',
      ]);
    });

    it('by prefixes in any spelling of the same name', async () => {
      await fill(storage, [
        '\uff32\uff45\uff58',
        'Re\u00adxine',
        '\ufb01x',
        'F\u0130XIE',
        '\u200b',
        '\u200bRex',
        'Straße',
      ]);

      assert.deepEqual(await namesBy(storage, { by: 'id' }, 'rex'), [
        '\uff32\uff45\uff58',
        'Re\u00adxine',
        '\u200bRex',
      ]);
      assert.equal((await namesBy(storage, { by: 'id' }, '\uff52\u200d\u212f')).length, 3);
      assert.deepEqual(await namesBy(storage, { by: 'id' }, 'f'), ['\ufb01x', 'F\u0130XIE']);
      assert.deepEqual(await namesBy(storage, { by: 'id' }, 'f\u0131'), ['\ufb01x', 'F\u0130XIE']);
      assert.deepEqual(await namesBy(storage, { by: 'id' }, 'stra\u017f'), ['Straße']);
      assert.deepEqual(await namesBy(storage, { by: 'id' }, '\u200b'), ['\u200b']);
    });

    it('with any text', async () => {
      const random = new SeededRandom(7);
      const names = Array.from({ length: 240 }, () => tidyText(random.text(5))).filter(
        (name) => name !== '' && !/\p{Cc}/u.test(name),
      );
      await fill(storage, names);
      const sorted = names.toSorted((a, b) => compareText(nameKey(a), nameKey(b)));

      assert.deepEqual((await namesBy(storage, { by: 'name' })).map(nameKey), sorted.map(nameKey));
      for (const name of names.slice(0, 50)) {
        const beginning = Array.from(name).slice(0, 2).join('');
        const found = names.filter((other) => nameKey(other).startsWith(nameKey(beginning)));
        assert.deepEqual((await namesBy(storage, { by: 'id' }, beginning)).sort(), found.sort());
      }
    });
  });
}
