import { expect } from 'chai';
import fc from 'fast-check';
import { NON_EMPTY_TEXT, TEXT } from '../../../src/api/schemas/schema-values.ts';

const MEMBERS = 300_000;

/** What the patterns stand for, in words of JavaScript alone. */
const isText = (text: string) => !/\p{Cc}/u.test(text.trim());
const isNonEmptyText = (text: string) => isText(text) && text.trim() !== '';

/** Characters at which the classes of the patterns begin and end, and others of each kind. */
const CHARACTERS = [
  ...'\u0000\u0008\t\n\u000b\f\r\u000e\u001f !~\u007f\u0080\u0085\u009f\u00a0\u00a1',
  ...'\u1680\u180e\u1fff\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\ufffdaZ7\u00e9\u{1f436}',
];

describe('The published patterns of texts', () => {
  const patterns: [string, RegExp, (text: string) => boolean][] = [
    ['of a name', new RegExp(NON_EMPTY_TEXT, 'u'), isNonEmptyText],
    ['of a description', new RegExp(TEXT, 'u'), isText],
  ];

  /** The texts for which pattern and words differ. */
  function differences(texts: Iterable<string>): { tried: number; different: string[] } {
    let tried = 0;
    const different: string[] = [];
    for (const text of texts) {
      for (const [name, pattern, allows] of patterns) {
        if (pattern.test(text) !== allows(text)) different.push(`${name}: ${JSON.stringify(text)}`);
      }
      tried += 1;
    }
    return { tried, different };
  }

  it('allow in every position exactly the characters that a text may have there', () => {
    function* texts(): Iterable<string> {
      for (let code = 0; code <= 0x10ffff; code += code < 0x10000 ? 1 : 101) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        const character = String.fromCodePoint(code);
        yield* [character, `a${character}b`, `${character}a`, `a${character}`];
      }
    }

    const { tried, different } = differences(texts());

    expect(different).to.deep.equal([]);
    expect(tried).to.be.above(250_000);
  });

  it('allow every text that consists of allowed characters', () => {
    function* mixtures(length: number): Iterable<string> {
      if (length === 0) return yield '';
      for (const rest of mixtures(length - 1)) for (const character of CHARACTERS) yield character + rest;
    }
    const random = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 4, maxLength: 30 }).map((all) => all.join(''));

    const { tried, different } = differences([
      ...mixtures(0),
      ...mixtures(1),
      ...mixtures(2),
      ...mixtures(3),
      ...fc.sample(random, { numRuns: 50_000, seed: 1 }),
    ]);

    expect(different).to.deep.equal([]);
    expect(tried).to.be.above(90_000);
  });

  it('take time proportional to the length of the text', () => {
    for (const [, pattern] of patterns) {
      for (const text of [
        `${'a '.repeat(MEMBERS)}\u0000`,
        `${' '.repeat(MEMBERS)}\u0000`,
        `a${'\u3000'.repeat(MEMBERS)}\u0000`,
      ]) {
        const started = performance.now();
        expect(pattern.test(text)).to.equal(false);
        expect(performance.now() - started).to.be.below(5_000);
      }
    }
  });
});
