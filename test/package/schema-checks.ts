import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _ } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { NodeDigest } from '../../src/adapters/node-crypto/node-digest.ts';
import { newAjv } from '../../src/api/ajv-compiler.ts';
import { schemaKey } from '../../src/api/precompiled-schemas.ts';
import { type Schema, type SchemaCheck, SchemaCompiler } from '../../src/api/validation.ts';
import { composeForBrowsers } from '../../src/composition/create-browser-petstore.ts';
import { optionsWith } from '../../src/composition/options.ts';
import { FetchHandlerToken } from '../../src/composition/tokens.ts';

/*
 * The part of the build that compiles schemas. It composes the petstore for browsers, and has Ajv write the code of each schema
 * that is compiled meanwhile.
 */

/** The module that is replaced, without its extension. */
const REPLACED = 'composition/browser-schemas';

/** Compiles, and remembers what it has compiled. */
class RecordingCompiler extends SchemaCompiler {
  readonly keys = new Set<string>();
  /** Code cannot contain the functions of the formats: it refers to them by the name that the module imports. */
  readonly ajv = newAjv({ source: true, esm: true, formats: _`FORMATS` });
  readonly #digest = new NodeDigest();

  compile(schema: Schema): SchemaCheck {
    const key = schemaKey(this.#digest, schema);
    if (!this.keys.has(key)) this.ajv.addSchema(schema, key);
    this.keys.add(key);
    return this.ajv.getSchema(key) as SchemaCheck;
  }
}

/** A module that replaces {@link REPLACED}; `extension` is that of the modules beside it. It contains calls of `require`. */
export async function precompiledSchemas(extension: 'js' | 'ts'): Promise<string> {
  const compiler = new RecordingCompiler();
  const container = await composeForBrowsers(optionsWith({ logLevel: 'silent' }), () => compiler);
  container.get(FetchHandlerToken);

  const names = [...compiler.keys].map((key, i) => [key, `check${i}`] as const);
  const byName = Object.fromEntries(names.map(([key, name]) => [name, key]));
  return `import { FORMATS } from '../api/formats.${extension}';
import { PrecompiledSchemas } from '../api/precompiled-schemas.${extension}';
${standalone.default(compiler.ajv, byName).replaceAll('export const ', 'const ')}
const CHECKS = new Map([${names.map(([key, name]) => `['${key}', ${name}]`).join()}]);
export const browserSchemas = (digest) => new PrecompiledSchemas(digest, CHECKS);
`;
}

/** What the code requires of Ajv is copied into the module. */
async function writePrecompiledSchemas(dist: string): Promise<void> {
  await build({
    stdin: { contents: await precompiledSchemas('js'), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: join(dist, `${REPLACED}.js`),
    bundle: true,
    external: ['../api/*'],
    format: 'esm',
    target: 'es2024',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writePrecompiledSchemas(fileURLToPath(new URL('../../dist', import.meta.url)));
}
