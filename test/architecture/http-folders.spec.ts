import { posix } from 'node:path';
import { expect } from 'chai';
import { coded, pageText, rowsOf } from '../docs/pages.ts';
import { importsOf, sourceFiles } from './layers.ts';

const ROOT = 'adapters/http/';

/** Which folders of the HTTP adapter each of them may import; all of them may import the files beside the folders. */
const FOLDERS: Readonly<Record<string, { readonly folders: readonly string[]; readonly node: boolean }>> = {
  request: { folders: [], node: false },
  response: { folders: ['request'], node: false },
  handler: { folders: ['request', 'response'], node: false },
  koa: { folders: ['handler', 'request', 'response'], node: true },
  fetch: { folders: ['handler', 'request', 'response'], node: false },
  endpoints: { folders: ['handler', 'request', 'response'], node: false },
};

/** The imports of a file of the HTTP adapter that its folder must not have. */
function violationsOf(file: string, text: string): string[] {
  const [folder = ''] = file.slice(ROOT.length).split('/');
  const rules = FOLDERS[folder] ?? { folders: Object.keys(FOLDERS).filter((name) => name === 'response'), node: false };
  return importsOf(text).filter((module) => {
    if (module.startsWith('node:') || module === 'koa' || module === '@koa/router') return !rules.node;
    const target = posix.join(posix.dirname(file), module);
    if (!module.startsWith('.') || !target.startsWith(ROOT)) return false;
    const [other = '', inside] = target.slice(ROOT.length).split('/');
    return inside !== undefined && other !== folder && !rules.folders.includes(other);
  });
}

describe('The folders of the HTTP adapter', () => {
  const files = [...sourceFiles()].filter(([name]) => name.startsWith(ROOT));

  it('import in one direction: koa the handler, and the handler the request and the response', () => {
    const violations = files.flatMap(([name, text]) =>
      violationsOf(name, text).map((module) => `${name} imports ${module}`),
    );

    expect(files).to.have.length.above(30);
    expect(violations).to.deep.equal([]);
  });

  it('are the ones that the table names', () => {
    const folders = files.map(([name]) => name.slice(ROOT.length).split('/')).filter(({ length }) => length > 1);

    expect([...new Set(folders.map(([folder]) => folder))]).to.have.members(Object.keys(FOLDERS));
  });

  it('are described correctly in docs/architecture.md', () => {
    const rows = rowsOf(pageText('docs/architecture.md'), 'folder of `src/adapters/http`', 'content', 'may import');
    const described = rows.map(([folder = '', , imports = '']) => [coded(folder)[0], coded(imports)]);

    expect(Object.fromEntries(described)).to.have.all.keys(Object.keys(FOLDERS));
    for (const [folder, imports] of described)
      expect(imports).to.have.members([...(FOLDERS[String(folder)]?.folders ?? [])]);
  });

  for (const [file, module] of [
    ['handler/guards.ts', '../koa/koa-app.ts'],
    ['handler/guards.ts', 'node:crypto'],
    ['handler/exchange.ts', 'koa'],
    ['request/query.ts', '../handler/exchange.ts'],
    ['response/rendering.ts', '../handler/exchange.ts'],
    ['koa/koa-app.ts', '../endpoints/html.ts'],
    ['endpoints/html.ts', '../koa/scalar.ts'],
    ['endpoints/html.ts', 'node:zlib'],
    ['fetch/fetch-handler.ts', 'node:stream'],
    ['settings.ts', './koa/server.ts'],
  ] as const) {
    it(`do not let ${file} import ${module}`, () => {
      expect(violationsOf(ROOT + file, `import { thing } from '${module}';`)).to.deep.equal([module]);
    });
  }
});
