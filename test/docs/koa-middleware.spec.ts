import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { entryPoints } from '../package/entry-points.ts';
import { pageText } from './pages.ts';

describe('The page about Koa middleware', () => {
  it('shows the module that the tests run, with the imports of the package', () => {
    const [, shown = ''] = /```ts\n(.*?)```/s.exec(pageText('docs/koa-middleware.md')) ?? [];
    const fixture = readFileSync(new URL('../composition/fixtures/koa-extension.ts', import.meta.url), 'utf8');
    const published = [...entryPoints()].map(([name, source]) => [`../../../${source}`, name] as const);

    const imported = fixture.replace(/'(\.\.\/[^']+)'/g, (_, path) => {
      const name = published.find(([source]) => source === path)?.[1];
      return `'${name}'`;
    });

    expect(shown).to.equal(imported);
  });
});
