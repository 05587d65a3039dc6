import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What `exports` has: a module with its types, a file, or nothing. */
type Target = { readonly types: string; readonly default: string } | string | null;

export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, Target>>;
  readonly [field: string]: unknown;
}

/** The package.json of the package. */
export function manifest(): Manifest {
  return JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Manifest;
}

/** The modules that `exports` publishes: what a program imports, such as `petstore-service/ports/clock`, and the source of it. */
export function entryPoints(): ReadonlyMap<string, string> {
  const { name: self, exports } = manifest();
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`);
  const found = Object.entries(exports).flatMap(([key, target]) => {
    if (target === null || typeof target === 'string') return [];
    const source = target.default.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');
    const [before = '', after] = source.split('*');
    if (after === undefined) return [[key, source] as const];
    return sources
      .filter((file) => file.startsWith(before) && file.endsWith(after))
      .map((file) => [key.replace('*', file.slice(before.length, -after.length)), file] as const);
  });
  const withheld = Object.keys(exports).filter((key) => exports[key] === null);
  const published = found.filter(([key]) => !withheld.some((pattern) => key.startsWith(pattern.replace('*', ''))));
  return new Map(published.map(([key, source]) => [key.replace('.', self), source]));
}
