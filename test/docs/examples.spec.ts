import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples');

type Target = { readonly default: string } | string | null;
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, Target>>;
};

/** The source of an entry point of the package, such as `petstore-service/ports/clock`. */
function sourceOf(specifier: string): string {
  const path = specifier.replace('petstore-service', '.');
  const matches = Object.entries(exports).filter(([key]) => path.startsWith(key.split('*')[0] ?? ''));
  const [[key, target] = ['', null]] = matches.sort(([a], [b]) => b.length - a.length);
  if (target === null || typeof target === 'string') throw new Error(`${specifier} is no entry point.`);
  const name = key === '.' ? '' : path.slice((key.split('*')[0] ?? '').length);
  return join(ROOT, target.default.replace('./dist/', 'src/').replace('*', name).replace(/\.js$/, '.ts'));
}

describe('The examples', () => {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && !name.includes('node_modules'),
  );

  it('import from the package only what it exports', async () => {
    const imports = files.flatMap((file) => {
      const text = readFileSync(join(EXAMPLES, file), 'utf8');
      const found = text.matchAll(/^import \{([^}]*)\} from '(petstore-service[^']*)';/gm);
      return Array.from(found, ([, names = '', from = '']) => ({ file, names: names.split(','), from }));
    });

    expect(imports).to.have.length.above(20);
    for (const { file, names, from } of imports) {
      const source = sourceOf(from);
      expect(existsSync(source), `${file}: ${from}`).to.equal(true);
      const exported = (await import(pathToFileURL(source).href)) as object;
      const wanted = names.map((name) => name.trim()).filter((name) => name !== '');
      expect(exported, `${file}: ${from}`).to.include.keys(wanted);
    }
  });
});
