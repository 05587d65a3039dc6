import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { entryPoints } from '../package/entry-points.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples');

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

    const published = entryPoints();
    expect(imports).to.have.length.above(20);
    for (const { file, names, from } of imports) {
      const source = published.get(from);
      expect(source, `${file}: ${from}`).to.be.a('string');
      const exported = (await import(pathToFileURL(join(ROOT, source ?? '')).href)) as object;
      const wanted = names.map((name) => name.trim()).filter((name) => name !== '');
      expect(exported, `${file}: ${from}`).to.include.keys(wanted);
    }
  });
});
