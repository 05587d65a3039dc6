import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { precompiledSchemas } from './schema-checks.ts';

/*
 * Bundles for browsers, of the package as it is published or of its sources.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const ENTRIES = { package: 'petstore-service/browser', sources: './src/browser.ts' };

export interface Bundle {
  readonly text: string;
  readonly inputs: Metafile['inputs'];
  /** In bytes, minified. */
  readonly size: number;
  /** In bytes, minified and compressed with gzip. */
  readonly compressed: number;
}

/**
 * Bundles a program for browsers into one classic script. `createBrowserPetstore` is in its scope; what it imports is relative
 * to the top of the repository. An import of a module of Node is an error.
 */
export async function bundleForBrowsers(of: keyof typeof ENTRIES, program: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { createBrowserPetstore } from ${JSON.stringify(ENTRIES[of])};\n${program}`,
      resolveDir: ROOT,
    },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2024',
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: of === 'sources' ? [withoutCodeGeneration, precompiling] : [withoutCodeGeneration],
  });
  const [{ text, contents } = { text: '', contents: new Uint8Array() }] = outputFiles;
  return { text, inputs: metafile.inputs, size: contents.length, compressed: gzipSync(contents, { level: 9 }).length };
}

/** Inversify can make functions from text, and does so only if a container asks for it. The bundle contains no such code at all. */
const withoutCodeGeneration: Plugin = {
  name: 'without code generation',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]@inversifyjs[\\/].*[\\/]buildNoActivations\w+ResolverJit\.js$/ }, ({ path }) => ({
      contents: `export function ${basename(path, '.js')}() { throw new Error('Code generation is off.'); }`,
    })),
};

/** Replaces the module that the build of the package replaces. */
const precompiling: Plugin = {
  name: 'precompiled schemas',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]browser-schemas\.ts$/ }, async () => ({ contents: await precompiledSchemas('ts') })),
};
