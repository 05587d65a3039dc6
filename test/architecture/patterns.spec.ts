import { expect } from 'chai';
import { publishedDocument } from '../docs/document.ts';
import { sourceFiles } from './layers.ts';
import { backtracksWithoutEnd, patternsIn } from './patterns.ts';

const programs = [...sourceFiles()].filter(([name]) => name.endsWith('.ts'));

describe('The regular expressions of the service', () => {
  it('are written out, where they can be looked at', () => {
    const made = programs.filter(([, text]) => /\bRegExp\s*\(/.test(text)).map(([name]) => name);

    expect(made).to.deep.equal([]);
  });

  it('do not backtrack without end', () => {
    const patterns = programs.flatMap(([name, text]) => patternsIn(text).map((pattern) => ({ name, pattern })));

    expect(patterns).to.have.length.above(60);
    expect(patterns.filter(({ pattern }) => backtracksWithoutEnd(pattern))).to.deep.equal([]);
  });

  it('do not either where the document has them', async () => {
    const text = JSON.stringify(await publishedDocument());
    const patterns = Array.from(text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g), ([, source = '']) =>
      JSON.parse(source),
    ) as string[];

    expect(patterns).to.have.length.above(5);
    for (const source of new Set(patterns)) {
      expect(backtracksWithoutEnd(new RegExp(source, 'u')), source).to.equal(false);
    }
  });
});

describe('A regular expression', () => {
  it('is found wherever one may be written', () => {
    const program = [
      '#!/usr/bin/env node',
      'const half = (a + b) / 2 / c; // not /this/',
      '/* nor /this/ */ const text = "/nor/", other = \'/nor/\';',
      'export const first = /1[/"]\\//g.test(`/nor/ §{/2`/u.test(`§{{ a: 4 / 2 / 1 }.a}`)} /nor/`);',
      'if (x) return /3/; return list[0] / 2 / (4 / 2);',
      'const sum = f(/4/, !/5/.test(y) && /6/.exec(z));',
    ]
      .join('\n')
      .replaceAll('§', '$');

    expect(patternsIn(program).map(String)).to.deep.equal(['/1[/"]\\//g', '/2`/u', '/3/', '/4/', '/5/', '/6/']);
  });

  for (const endless of [
    /(a+)+$/,
    /(a*)*b/,
    /(a|a)*b/,
    /(a|b|ab)*c/,
    /(a*b?)*c/,
    /(\w+\s?)*$/,
    /^(([a-z])+.)+[A-Z]([a-z])+$/,
    /(.*a){12}/,
    /(?:x{1,3})*y/,
    /x(?=(a+)+b)c/,
    /(?<!(?:é|[\u00e0-\u00ff])*x)y/,
    /(\p{L}|[a-z])*1/u,
  ]) {
    it(`backtracks without end if it is ${endless}`, () => {
      expect(backtracksWithoutEnd(endless)).to.equal(true);
    });
  }

  for (const sound of [
    /^a+b*c{2,9}$/,
    /^(?:\d+,)*\d+$/,
    /^"(?:[^"\\]|\\.)*"$/,
    /^(?:a(?:b+c)*d)*$/,
    /^(?:\p{L}|\d)*$/u,
    /^\[(?:[^\]\\]|\\.)+\]$/,
    /^(?:127(?:\.\d{1,3}){3}|x)$/,
  ]) {
    it(`does not if it is ${sound}`, () => {
      expect(backtracksWithoutEnd(sound)).to.equal(false);
    });
  }

  it('that cannot be read is not passed over', () => {
    expect(() => backtracksWithoutEnd(/(a)\1*/)).to.throw('Not understood');
  });
});
