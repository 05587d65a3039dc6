import { expect } from 'chai';
import { LAYERS } from '../architecture/layers.ts';
import { coded, pageText, rowsOf } from './pages.ts';

const folders = Object.keys(LAYERS).filter((folder) => folder !== '.');
const adapters = folders
  .filter((folder) => folder.startsWith('adapters/'))
  .map((folder) => folder.slice('adapters/'.length));

/** The layer of a folder, by the name that it has in the picture. */
function layerOf(folder: string): string {
  return folder === '.' ? 'petstore' : (folder.split('/')[0] ?? '');
}

for (const page of ['docs/architecture.md']) {
  describe(`The diagram of the layers in ${page}`, () => {
    const picture = /```mermaid\nflowchart TD\n(.*?)```/s.exec(pageText(page))?.[1] ?? '';

    it('has exactly the arrows that the layers allow', () => {
      const drawn = Array.from(
        picture.matchAll(/^\s*(\S+?)(?:\[.*\])? --> (\S+)$/gm),
        ([, from, to]) => `${from} ${to}`,
      );
      const allowed = Object.entries(LAYERS).flatMap(([folder, layer]) =>
        layer.folders.map((other) => `${layerOf(folder)} ${layerOf(other)}`),
      );

      expect(drawn).to.have.length.above(3);
      expect(drawn).to.have.members([...new Set(allowed)]);
    });

    it('has every adapter in its box, and no other', () => {
      const [, box = ''] = /subgraph adapters\n\s*direction \w+\n(.*?)\n\s*end/s.exec(picture) ?? [];

      expect(box.split('\n').map((line) => line.trim())).to.have.members(adapters);
    });
  });
}

describe('The page about the layers', () => {
  const page = pageText('docs/architecture.md');

  it('says which packages a folder may use, and whether modules of Node', () => {
    const documented = rowsOf(page, 'folder', 'packages', 'modules of Node').map(
      ([folder = '', packages = '', node]) => ({
        folder: coded(folder)[0]?.replace('src/', ''),
        packages: coded(packages),
        node: node === 'yes',
      }),
    );

    expect(documented).to.have.deep.members(
      folders.map((folder) => ({ folder, packages: LAYERS[folder]?.packages, node: LAYERS[folder]?.node })),
    );
  });

  it('says that no adapter imports another, and that is so', () => {
    const others = adapters.flatMap((adapter) => LAYERS[`adapters/${adapter}`]?.folders ?? []);

    expect(others.filter((folder) => folder.startsWith('adapters/'))).to.deep.equal([]);
    expect(page).to.include('an adapter never imports another');
  });
});
