import { expect } from 'chai';
import fc from 'fast-check';
import { compareText, nameKey, tidyText } from '../../src/domain/text.ts';

const seed = 20261121;

/** Any text without lone surrogates, from every script, combining marks and white space included. */
const texts = fc.string({ unit: 'binary', maxLength: 12 });

/** Letters that behave in their own ways; no combining marks, so that any cut lies between two letters. */
const letters = Array.from("aAzZ éÉßẞıİiIjϳσςΣſKÅåœŒñдДюЮꭰᏸა猫犬ネコ한글ﬁﬆǆＡｚ１Ⅷℌ½㎏ŉ～😀𝒜-'1");

/** What is not seen. */
const invisible = ['\u00ad', '\u034f', '\u061c', '\u115f', '\u180e', '\u200b', '\u200d', '\u200e', '\u202e'];
invisible.push('\u2060', '\u2066', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\u{e0061}', '\u{e0100}');

const names = fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });

/** The same, with something invisible here and there, but not at the beginning. */
const veiled = fc.string({
  unit: fc.constantFrom(...letters, ...invisible.map((character, i) => `${letters[i * 3]}${character}`)),
  maxLength: 12,
});

/** Any text, of characters that fold, compose, move or vanish more often than not. */
const tricky = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...letters, ...invisible),
    fc.constantFrom('\u0300', '\u0301', '\u0307', '\u0308', '\u0323', '\u0327', '\u0328', '\u0345', '\u05b0', '\u0653'),
    fc.constantFrom('\u1100', '\u1161', '\u11a8', '\u314f', '\uff76', '\uff9e', '\u3099', '\u00a8', '\u1fbf', '\ufdfa'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 16,
});

describe('Text', () => {
  describe('is normalised', () => {
    it('into composed form', () => {
      expect(tidyText('Zoe\u0301')).to.equal('Zo\u00e9');
      expect(tidyText('\u212b')).to.equal('\u00c5');
    });

    it('without white space at its ends, and with white space inside', () => {
      expect(tidyText(' \t\u00a0\u3000Sir  Barks\u2028\ufeff\n')).to.equal('Sir  Barks');
      expect(tidyText('   ')).to.equal('');
    });

    it('idempotently', () => {
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
    it('that is the same for all spellings of a name', () => {
      expect(nameKey(' rex')).to.equal(nameKey('REX'));
      expect(nameKey('Zoe\u0301')).to.equal(nameKey('ZOÉ'));
      expect(nameKey('Straße')).to.equal(nameKey('STRASSE'));
      expect(nameKey('Οδυσσεύς')).to.equal(nameKey('ΟΔΥΣΣΕΎΣ'));
      expect(nameKey('ΜΆΡΣ')).to.equal(nameKey('μάρσ'));
    });

    it('that is the same for all forms of a letter', () => {
      for (const [form, letters] of Object.entries({
        Ｒｅｘ: 'rex',
        𝕽𝖊𝖝: 'rex',
        'ﬀ ﬃ ﬆ ǆ ŉ': 'ff ffi st dž ʼn',
        ẞß: 'SSss',
        ſK: 'sk',
        'ΐ \u1fd3': '\u03b9\u0308\u0301 \u0390',
        'ᾼ ᾳ': 'αι ΑΙ',
        'ꭰ Ა': 'Ꭰ ა',
        ｶﾞ: 'ガ',
        '\u314e\u314f\uffa0': '\ud558',
        'Ⅷ ⑦ ² ㎏ ™': 'viii 7 2 KG tm',
        '\u00a0\u2003\u3000': '',
        'a\u2003b': 'A B',
      })) {
        expect(nameKey(form), form).to.equal(nameKey(letters));
      }
    });

    it('without the dot above an i or a j, whether it was there or not', () => {
      for (const spelling of [
        'İJ',
        'ıj',
        'Ij',
        'i\u0307j\u0307',
        'I\u0307J\u0307',
        'ı\u0307j',
        'i\u0307\u0307\u0307J',
        'ｉｊ',
        'ĳ',
      ]) {
        expect(nameKey(spelling), spelling).to.equal('IJ');
      }
      expect(nameKey('i\u0323\u0307')).to.equal(nameKey('ị'));
      expect(nameKey('i\u0307\u0301')).to.equal(nameKey('í'));
      expect(nameKey('ė')).not.to.equal(nameKey('e'));
      expect(nameKey('ï')).not.to.equal(nameKey('i'));
    });

    it('without invisible characters, and without white space beside them at the ends', () => {
      for (const character of invisible) {
        for (const name of [
          `${character}Rex`,
          `Re${character}${character}x`,
          `Rex${character}`,
          ` ${character} Rex ${character} `,
        ]) {
          expect(nameKey(name), inCodes(name)).to.equal('REX');
        }
        expect(nameKey(`e${character}\u0301`), inCodes(character)).to.equal('É');
        expect(nameKey(`i${character}\u0307`), inCodes(character)).to.equal('I');
        expect(nameKey(`a\u0323${character}\u0301`), inCodes(character)).to.equal(nameKey('a\u0301\u0323'));
      }
    });

    it('that is the text itself, if all of it is invisible', () => {
      const texts = [
        ...invisible,
        ...invisible.map((character) => `${character}\u200b`),
        '\u200b \u200b',
        '\u3164\u3164\u3164',
        // A byte order mark is white space to JavaScript, and tidied away.
      ].filter((text) => tidyText(text) !== '');

      const keys = texts.map(nameKey);

      for (const [i, key] of keys.entries()) {
        expect(key, inCodes(texts[i] as string)).not.to.equal('');
        expect(nameKey(key)).to.equal(key);
      }
      expect(new Set(keys)).to.have.property('size', new Set(texts.map(tidyText)).size);
      expect(nameKey('')).to.equal('');
      expect(nameKey(' \u2003')).to.equal('');
    });

    it('that is the same for every character in another case or form', () => {
      for (let point = 0x80; point <= 0x10ffff; point++) {
        if (point === 0xd800) point = 0xe000;
        const character = String.fromCodePoint(point);
        const spellings = [
          character.toLowerCase(),
          character.toUpperCase(),
          character.normalize('NFKC'),
          character.normalize('NFKD').toLowerCase(),
        ].filter((spelling) => spelling !== character);
        // Most of the million have one spelling, and need no key.
        if (spellings.length === 0) continue;
        const key = nameKey(`x${character}x`);
        for (const spelling of spellings) {
          if (nameKey(`x${spelling}x`) !== key) expect.fail(`U+${point.toString(16)}`);
        }
      }
    });

    it('however long the name is', () => {
      for (const [part, key] of Object.entries({
        'i\u0307': 'I',
        '\u200b': '',
        ŉ: 'ʼN',
        'e\u034f\u0301': 'É',
        ab: 'AB',
      })) {
        expect(nameKey(`a${part.repeat(20_000)}`) === `A${key.repeat(20_000)}`, inCodes(part)).to.equal(true);
      }
    });

    it('that is different for different names', () => {
      expect(nameKey('Rex')).not.to.equal(nameKey('Rexy'));
      expect(nameKey('Zoe')).not.to.equal(nameKey('Zoé'));
      expect(nameKey('Sir Barks')).not.to.equal(nameKey('SirBarks'));
      expect(nameKey('Rаx')).not.to.equal(nameKey('Rax'));
      expect(nameKey('ΑΒ')).not.to.equal(nameKey('AB'));
    });

    it('that begins with the key of its beginning', () => {
      expect(nameKey('Οδυσσεύς').startsWith(nameKey('Οδυσσεύσ'))).to.equal(true);

      fc.assert(
        fc.property(fc.oneof(names, veiled), fc.nat(20), (name, length) => {
          const beginning = Array.from(tidyText(name)).slice(0, length).join('');

          expect(nameKey(name).startsWith(nameKey(beginning))).to.equal(true);
        }),
        { seed },
      );
    });

    it('that is its own key, whatever the text', () => {
      fc.assert(
        fc.property(fc.oneof(texts, tricky), (text) => {
          const key = nameKey(text);

          expect(nameKey(key)).to.equal(key);
          expect(key === '').to.equal(tidyText(text) === '');
          for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) {
            if (/[^\p{Default_Ignorable_Code_Point}\s]/u.test(text))
              expect(nameKey(text.normalize(form))).to.equal(key);
          }
        }),
        { seed, numRuns: 2_000 },
      );
    });

    it('that is the same on the fast path and on the complete one', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
          expect(nameKey(`${text}x`)).to.equal(nameKey(`${text}\u200bx`));
          expect(nameKey(text)).to.equal(text.trim().toUpperCase());
        }),
        { seed },
      );
    });

    it('whatever the case in which the name is written', () => {
      fc.assert(
        fc.property(fc.oneof(names, veiled), (name) => {
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

    it('totally: equal only to itself, and antisymmetric', () => {
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

/** The code points of a text, for a message in which it would not be seen. */
function inCodes(text: string): string {
  return Array.from(text, (character) => `U+${character.codePointAt(0)?.toString(16)}`).join(' ');
}
