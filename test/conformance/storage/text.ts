import { expect } from 'chai';
import fc from 'fast-check';
import type { PetSort } from '../../../src/application/ports/reader.ts';
import { compareText, nameKey, tidyText } from '../../../src/domain/text.ts';
import { desksOn, freshStorage, type OpenStorage } from './storage-under-test.ts';

export function describeText(open: OpenStorage): void {
  describe('orders and finds text', () => {
    const storage = freshStorage(open);
    const fill = async (names: readonly string[]) => {
      const { categories, pets } = desksOn(storage());
      await categories.open({ name: 'Dogs' });
      await pets.welcomeAll(names.map((name) => ({ name, categoryId: 1 })));
    };
    const namesBy = async (sort: PetSort, name?: string) => {
      const { rows } = await storage().reader.pets({ name }, { sort, limit: 1000 });
      return rows.map((pet) => pet.name);
    };

    it('by code points, not by the units in which they are written', async () => {
      await fill(['\u{10FFFF}', '\u{1F600}', '\uFD3E', 'z', 'é', 'A']);

      expect(await namesBy('name')).to.deep.equal(['A', 'z', 'é', '\uFD3E', '\u{1F600}', '\u{10FFFF}']);
      expect(await namesBy('-name')).to.deep.equal(['\u{10FFFF}', '\u{1F600}', '\uFD3E', 'é', 'z', 'A']);
    });

    it('by beginnings in any spelling that is the same name', async () => {
      await fill(['\uff32\uff45\uff58', 'Re\u00adxine', '\ufb01x', 'F\u0130XIE', '\u200b', '\u200bRex', 'Straße']);

      expect(await namesBy('id', 'rex')).to.deep.equal(['\uff32\uff45\uff58', 'Re\u00adxine', '\u200bRex']);
      expect(await namesBy('id', '\uff52\u200d\u212f')).to.have.lengthOf(3);
      expect(await namesBy('id', 'f')).to.deep.equal(['\ufb01x', 'F\u0130XIE']);
      expect(await namesBy('id', 'f\u0131')).to.deep.equal(['\ufb01x', 'F\u0130XIE']);
      expect(await namesBy('id', 'stra\u017f')).to.deep.equal(['Straße']);
      expect(await namesBy('id', '\u200b')).to.deep.equal(['\u200b']);
    });

    it('whatever text it is', async () => {
      const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 5 });
      const names = fc
        .sample(text, { numRuns: 200, seed: 7 })
        .map(tidyText)
        .filter((name) => name !== '' && !/\p{Cc}/u.test(name));
      await fill(names);
      const sorted = names.toSorted((a, b) => compareText(nameKey(a), nameKey(b)));

      expect((await namesBy('name')).map(nameKey)).to.deep.equal(sorted.map(nameKey));
      for (const name of names.slice(0, 50)) {
        const beginning = [...name].slice(0, 2).join('');
        const found = names.filter((other) => nameKey(other).startsWith(nameKey(beginning)));
        expect((await namesBy('id', beginning)).sort()).to.deep.equal(found.sort());
      }
    });
  });
}
