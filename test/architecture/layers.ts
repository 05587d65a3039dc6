import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { posix } from 'node:path';

/** What the files of one folder may import, beside each other. */
export interface Layer {
  /** Other folders of `src`. */
  readonly folders: readonly string[];
  readonly packages: readonly string[];
  /** Whether modules of Node itself. */
  readonly node: boolean;
}

const adapter = (packages: readonly string[] = [], node = false): Layer => ({
  folders: ['api', 'application', 'domain'],
  packages,
  node,
});

/** Who may import whom. The folders are named as they lie under `src`; `.` is `src` itself. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  domain: { folders: [], packages: [], node: false },
  application: { folders: ['domain'], packages: [], node: false },
  api: { folders: ['domain', 'application'], packages: ['ajv', 'json-schema-to-ts'], node: false },
  conformance: { folders: ['domain', 'application'], packages: [], node: true },
  'adapters/cli': adapter(['commander']),
  'adapters/http': adapter(
    [
      '@koa/router',
      'fastest-levenshtein',
      'ipaddr.js',
      'koa',
      'lru-cache',
      'negotiator',
      '@scalar/fastify-api-reference',
      'yaml',
    ],
    true,
  ),
  'adapters/in-memory': adapter(),
  'adapters/jwt': adapter(['ipaddr.js', 'jose', 'lru-cache'], true),
  'adapters/logging': adapter(['pino']),
  'adapters/mikro-orm': adapter(
    [
      '@mikro-orm/core',
      '@mikro-orm/migrations',
      '@mikro-orm/postgresql',
      '@mikro-orm/sqlite',
      'better-sqlite3',
      'kysely',
    ],
    true,
  ),
  'adapters/node-crypto': adapter([], true),
  'adapters/rate-limiting': adapter(['lru-cache', 'pg', 'rate-limiter-flexible']),
  'adapters/system-clock': adapter(),
  'adapters/web-crypto': adapter(['@noble/hashes']),
  'adapters/webhooks': adapter(['ipaddr.js', 'standardwebhooks'], true),
  composition: {
    folders: [
      'domain',
      'application',
      'api',
      'conformance',
      'adapters/cli',
      'adapters/http',
      'adapters/in-memory',
      'adapters/jwt',
      'adapters/logging',
      'adapters/mikro-orm',
      'adapters/node-crypto',
      'adapters/rate-limiting',
      'adapters/system-clock',
      'adapters/web-crypto',
      'adapters/webhooks',
    ],
    packages: ['fastest-levenshtein', 'inversify', 'reflect-metadata'],
    node: true,
  },
  '.': { folders: ['composition'], packages: [], node: false },
};

const SRC = new URL('../../src/', import.meta.url);

/** Every file under `src`, by its path there. */
export function sourceFiles(): Map<string, string> {
  const names = readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(SRC.pathname.length).replace(/^\//, ''));
  return new Map(names.sort().map((name) => [name, readFileSync(new URL(name, SRC), 'utf8')]));
}

/** The layer that a file belongs to; `undefined` if it belongs to none. */
export function layerOf(file: string): string | undefined {
  if (!file.includes('/')) return '.';
  return Object.keys(LAYERS).find((layer) => file.startsWith(`${layer}/`));
}

/** The files that import modules by computed names: adapters of other teams. */
const LOADERS: readonly string[] = ['composition/plugins.ts', 'conformance/command/child.ts'];

const IMPORTS = [
  // import x from '…', import type { x } from '…', export { x } from '…'; none of them has a quote or a semicolon before "from".
  /^[ \t]*(?:import|export)\b[^;'"`]*?\bfrom\s*(['"])(.+?)\1/gm,
  // import '…'
  /^[ \t]*import\s*(['"])(.+?)\1/gm,
  // import('…'), as a call or in a type
  /\bimport\s*\(\s*(['"])(.+?)\1/g,
  // require('…'), require.resolve('…'), import.meta.resolve('…'), createRequire(…).resolve('…')
  /(?:\brequire|\.resolve)\s*\(\s*(['"`])([^'"`]+)\1/g,
];

/** Everything that a TypeScript text imports, in any form, including types. Imports in comments count too, so that none is missed. */
export function importsOf(text: string): string[] {
  const literal = IMPORTS.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, , module = '']) => module));
  const computed = text.match(/\bimport\s*\((?!\s*['"])[^)]*/g) ?? [];
  return [...literal, ...computed];
}

/** The imports of a file that its layer does not allow, each as a sentence. */
export function violationsOf(file: string, text: string): string[] {
  const layer = layerOf(file);
  const rules = layer && LAYERS[layer];
  if (!rules) return [`${file} belongs to no layer`];
  return importsOf(text).flatMap((module) => {
    if (LOADERS.includes(file) && module.startsWith('import(')) return [];
    if (module.startsWith('.')) {
      const target = posix.join(posix.dirname(file), module);
      const other = target.startsWith('../') ? undefined : layerOf(target);
      if (other === layer || (other !== undefined && rules.folders.includes(other))) return [];
    } else if (module.startsWith('node:') || builtinModules.includes(module)) {
      if (rules.node) return [];
    } else if (rules.packages.includes(packageOf(module))) return [];
    return [`${file} imports ${module}`];
  });
}

export function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}
