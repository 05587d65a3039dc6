import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { coded, pageText } from './pages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

/** The anchors that a page has for its headings, as GitHub and others make them. */
function anchorsOf(path: string): string[] {
  return Array.from(pageText(path).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function linksOf(path: string): string[] {
  return Array.from(pageText(path).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
}

/** Whether a code mark is meant as a file or folder of this project. */
function isPath(code: string): boolean {
  return /^(?:src|test|docs|\.ci)\/[\w./-]+$/.test(code);
}

describe('The documentation', () => {
  it('has all its pages', () => {
    expect(PAGES).to.include.members([
      'README.md',
      'docs/adapters.md',
      'docs/architecture.md',
      'docs/domain.md',
      'docs/http.md',
      'docs/operating.md',
    ]);
    expect(PAGES.filter((page) => page.startsWith('docs/adr/'))).to.have.length.above(7);
  });

  for (const page of PAGES) {
    it(`links from ${page} only to what exists`, () => {
      for (const link of linksOf(page).filter((target) => !/^https?:/.test(target))) {
        const [file = '', anchor] = link.split('#');
        const target = join(dirname(page), file || page.split('/').at(-1) || '');
        expect(existsSync(join(ROOT, target)), link).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(target), link).to.include(anchor);
      }
    });

    it(`links from ${page} only to what the package contains`, () => {
      const targets = linksOf(page).filter((target) => !/^(?:https?:|#)/.test(target));
      for (const target of targets) expect(join(dirname(page), target)).to.match(/^(?:docs\/|README\.md|LICENSE)/);
    });

    it(`names in ${page} only files that exist`, () => {
      const words = pageText(page).split(/[.,;:]?\s+/);
      const paths = [...coded(pageText(page)), ...words].filter(isPath);
      for (const path of paths) expect(existsSync(join(ROOT, path)), path).to.equal(true);
    });
  }

  it('can be reached from the README completely', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const link of linksOf(page)) {
        const target = join(dirname(page), link.split('#')[0] ?? '').replaceAll('\\', '/');
        if (PAGES.includes(target)) reached.add(target);
      }
    }

    expect([...reached]).to.have.members(PAGES);
  });

  it('is where the code refers to it', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const named = sources.flatMap(
      (name) => readFileSync(join(ROOT, 'src', name), 'utf8').match(/\bdocs\/[\w./-]+\.md\b/g) ?? [],
    );

    expect(named).to.have.length.above(0);
    for (const path of named) expect(existsSync(join(ROOT, path)), path).to.equal(true);
  });
});
