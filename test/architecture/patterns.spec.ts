import { stripTypeScriptTypes } from 'node:module';
import { parse, type Token } from 'acorn';
import { expect } from 'chai';
import { check } from 'recheck';
import { publishedDocument } from '../docs/document.ts';
import { sourceFiles } from './layers.ts';

interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

/** Patterns that take time by the square of their input's length, each on an input that is short or that no client chooses. */
const SQUARE: readonly string[] = [
  String.raw`\s*\n\s*`, // our own SQL and help texts
  '=+$', // a cursor that this service has just encoded
  String.raw`:(?!\/\/).*@`, // an address in the settings
  String.raw`"(?:[^"\\]|\\.)*"\s*:?`, // JSON that has been parsed, so that every string in it ends
];

const programs = [...sourceFiles()].filter(([name]) => name.endsWith('.ts'));

function patternsIn(program: string): Pattern[] {
  const patterns: Pattern[] = [];
  parse(stripTypeScriptTypes(program), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: (token: Token & { readonly value?: unknown }) => {
      if (token.type.label === 'regexp') patterns.push(token.value as Pattern);
    },
  });
  return patterns;
}

/** Limits by steps alone: a limit by time would make the result depend on the load of the machine. */
const STEPS_ONLY = { timeout: null, seedingTimeout: null, incubationTimeout: null, attackTimeout: null };

/** The patterns that can take more than linear time, and how their time grows. What cannot be analysed counts. */
async function slowPatterns(patterns: readonly Pattern[]): Promise<{ pattern: string; growth: string }[]> {
  const distinct = new Map(patterns.map((pattern) => [JSON.stringify(pattern), pattern])).values();
  const results = await Promise.all(
    Array.from(distinct, async ({ pattern, flags }) => {
      const result = await check(pattern, flags, STEPS_ONLY);
      if (result.status === 'safe') return [];
      return [{ pattern, growth: result.status === 'unknown' ? result.error.kind : result.complexity.type }];
    }),
  );
  return results.flat();
}

describe('The regular expressions of the service', () => {
  it('are literals, so that the next test finds them', () => {
    const constructed = programs.filter(([, text]) => /\bRegExp\s*\(/.test(text)).map(([name]) => name);

    expect(constructed).to.deep.equal([]);
  });

  it('take linear time, except those whose input is short', async () => {
    const patterns = programs.flatMap(([, text]) => patternsIn(text));
    const slow = await slowPatterns(patterns);

    expect(patterns).to.have.length.above(60);
    expect(slow).to.have.deep.members(SQUARE.map((pattern) => ({ pattern, growth: 'polynomial' })));
  });

  it('take linear time in the OpenAPI document', async () => {
    const text = JSON.stringify(await publishedDocument());
    const patterns = Array.from(text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g), ([, source = '']) => ({
      pattern: JSON.parse(source) as string,
      flags: 'u',
    }));

    expect(patterns).to.have.length.above(5);
    expect(await slowPatterns(patterns)).to.deep.equal([]);
  });

  it('would be reported if they took more', async () => {
    const division = 'const half: number = (a + b) / 2 / c; // not /(c+)+$/';
    const literals = 'f(/(a+)+$/, `/(b+)+$/`, !/(?:x{1,3})*y/.test(c), /^a+b*$/);';

    expect(await slowPatterns(patternsIn(`${division}\n${literals}`))).to.deep.equal([
      { pattern: '(a+)+$', growth: 'exponential' },
      { pattern: '(?:x{1,3})*y', growth: 'exponential' },
    ]);
  });
});
