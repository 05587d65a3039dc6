import { expect } from 'chai';
import fc from 'fast-check';
import { compareText, nameKey, tidyText } from '../../src/domain/text.ts';

const seed = 20261121;

/** Any text without lone surrogates, from every script, combining marks and white space included. */
const texts = fc.string({ unit: 'binary', maxLength: 12 });

/** Names in scripts whose letters behave in their own ways; no combining marks, so that any cut lies between two letters. */
const names = fc.string({
  unit: fc.constantFrom(...Array.from("aAzZ éÉßẞıİiIσςΣſKÅåœŒñдДюЮ猫犬ネコ～😀𝒜-'1")),
  maxLength: 12,
});

describe('Text', () => {
  describe('is tidied', () => {
    it('into composed form', () => {
      expect(tidyText('Zoe\u0301')).to.equal('Zo\u00e9');
      expect(tidyText('\u212b')).to.equal('\u00c5');
    });

    it('without white space at its ends, and with that inside', () => {
      expect(tidyText(' \t\u00a0\u3000Sir  Barks\u2028\ufeff\n')).to.equal('Sir  Barks');
      expect(tidyText('   ')).to.equal('');
    });

    it('once and for all', () => {
      fc.assert(
        fc.property(texts, (text) => {
          const tidy = tidyText(text);

          expect(tidyText(tidy)).to.equal(tidy);
          expect(tidy).to.equal(tidy.normalize('NFC'));
          expect(tidy).not.to.match(/^\s|\s$/);
        }),
        { seed },
      );
    });
  });

  describe('has a key', () => {
    it('that is one for all spellings of a name', () => {
      expect(nameKey(' rex')).to.equal(nameKey('REX'));
      expect(nameKey('Zoe\u0301')).to.equal(nameKey('ZOÉ'));
      expect(nameKey('Straße')).to.equal(nameKey('STRASSE'));
      expect(nameKey('Οδυσσεύς')).to.equal(nameKey('ΟΔΥΣΣΕΎΣ'));
      expect(nameKey('ΜΆΡΣ')).to.equal(nameKey('μάρσ'));
    });

    it('that tells different names apart', () => {
      expect(nameKey('Rex')).not.to.equal(nameKey('Rexy'));
      expect(nameKey('Zoe')).not.to.equal(nameKey('Zoé'));
      expect(nameKey('Sir Barks')).not.to.equal(nameKey('SirBarks'));
    });

    it('whose beginning is the key of the beginning', () => {
      expect(nameKey('Οδυσσεύς').startsWith(nameKey('Οδυσσεύσ'))).to.equal(true);

      fc.assert(
        fc.property(names, fc.nat(12), (name, length) => {
          const beginning = Array.from(tidyText(name)).slice(0, length).join('');

          expect(nameKey(name).startsWith(nameKey(beginning))).to.equal(true);
        }),
        { seed },
      );
    });

    it('whatever the case in which the name is written', () => {
      fc.assert(
        fc.property(names, (name) => {
          const key = nameKey(name);

          expect(nameKey(tidyText(name).toUpperCase())).to.equal(key);
          expect(nameKey(tidyText(name).toLowerCase())).to.equal(key);
          expect(nameKey(key)).to.equal(key);
        }),
        { seed },
      );
    });
  });

  describe('is ordered', () => {
    it('by code points, the highest ones last', () => {
      expect(compareText('a', 'b')).to.be.below(0);
      expect(compareText('Z', 'a')).to.be.below(0);
      expect(compareText('😀', '～')).to.be.above(0);
      expect(compareText('\u{10000}', '\uffff')).to.be.above(0);
      expect(compareText('\u{103ff}', '\u{103fe}')).to.be.above(0);
    });

    it('a beginning before the whole', () => {
      expect(compareText('', 'a')).to.be.below(0);
      expect(compareText('Rexy', 'Rex')).to.be.above(0);
    });

    it('like the bytes of its UTF-8, as a database orders it', () => {
      fc.assert(
        fc.property(texts, texts, (a, b) => {
          expect(Math.sign(compareText(a, b))).to.equal(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
        }),
        {
          seed,
          examples: [
            ['a\ud83d\ude00', 'a\uff5e'],
            ['\ud83d\ude00', '\ud83d\ude01'],
          ],
        },
      );
    });

    it('totally: equal only to itself, and the same from both sides', () => {
      fc.assert(
        fc.property(texts, texts, (a, b) => {
          expect(Math.sign(compareText(a, b)) + Math.sign(compareText(b, a))).to.equal(0);
          expect(compareText(a, b) === 0).to.equal(a === b);
          expect(compareText(a, a)).to.equal(0);
        }),
        { seed },
      );
    });
  });
});
