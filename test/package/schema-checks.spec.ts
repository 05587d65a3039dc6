import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { NodeDigest } from '../../src/adapters/node-crypto/node-digest.ts';
import { AjvCompiler } from '../../src/api/ajv-compiler.ts';
import { type Schema, type SchemaCheck, SchemaCompiler } from '../../src/api/validation.ts';
import type { browserSchemas } from '../../src/composition/browser-schemas.ts';
import { composeForBrowsers } from '../../src/composition/create-browser-petstore.ts';
import { optionsWith } from '../../src/composition/options.ts';
import { FetchHandlerToken } from '../../src/composition/tokens.ts';
import { freshFolder } from '../support/temporary.ts';
import { precompiledSchemas } from './schema-checks.ts';

/** Values that schemas accept or refuse for different reasons. */
const SCALARS: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.5, 100, 101, 2 ** 31, 2 ** 53 - 1, 2 ** 53, Number.POSITIVE_INFINITY],
  ...['', ' ', 'Rex', ' Rex ', 'x'.repeat(100), 'x'.repeat(101), '\u{1f436}'.repeat(100), 'a\u0000b', '1'],
  ...['available', 'sold', 'name', '-name', 'category', '2026-12-24T09:00:00Z', '2026-02-30T09:00:00Z'],
];

/** Bodies and values that contain them, with every field of any body. */
function valuesFor({ type, properties = {}, items }: Schema): unknown[] {
  if (type === 'array') return [...SCALARS, [], ...valuesFor(items as Schema).map((value) => [value, value])];
  if (type !== 'object') return [...SCALARS];
  const names = Object.keys(properties as object);
  const whole = Object.fromEntries(names.map((name) => [name, 1]));
  return [
    ...SCALARS,
    {},
    whole,
    { ...whole, unknown: 1 },
    ...names.flatMap((name) => SCALARS.map((value) => ({ ...whole, [name]: value }))),
  ];
}

/** What a check says of a value, and what it makes of it. */
function verdictOf(check: SchemaCheck, given: unknown): unknown {
  const value = structuredClone(given);
  return { isValid: check(value), errors: check.errors ?? null, value };
}

describe('The checks that the build compiles', () => {
  const folder = freshFolder();
  const schemas = new Set<Schema>();
  let compiled: SchemaCompiler;

  class Collector extends SchemaCompiler {
    compile(schema: Schema): SchemaCheck {
      schemas.add(schema);
      return () => true;
    }
  }

  beforeEach(async () => {
    const container = await composeForBrowsers(optionsWith({ logLevel: 'silent' }), () => new Collector());
    container.get(FetchHandlerToken);
    const outfile = join(folder(), 'browser-schemas.mjs');
    const stdin = {
      contents: await precompiledSchemas('ts'),
      resolveDir: join(import.meta.dirname, '../../src/composition'),
    };
    await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node' });
    const loaded = (await import(pathToFileURL(outfile).href)) as { browserSchemas: typeof browserSchemas };
    compiled = loaded.browserSchemas(new NodeDigest());
  });

  it('say the same as those that Ajv compiles at run time, and fill in the same defaults', () => {
    const ajv = new AjvCompiler();
    const verdicts = [...schemas].flatMap((schema) => {
      const [one, other] = [compiled.compile(schema), ajv.compile(schema)];
      return valuesFor(schema).map((value) => [verdictOf(one, value), verdictOf(other, value)] as const);
    });

    expect(schemas.size).to.be.above(20);
    expect(verdicts.length).to.be.above(1_000);
    for (const [one, other] of verdicts) expect(one).to.deep.equal(other);
  });

  it('are those of known schemas only', () => {
    expect(() => compiled.compile({ type: 'string', maxLength: 7 })).to.throw(
      'The build has not compiled this schema: {"type":"string","maxLength":7}.',
    );
  });
});
