import { expect } from 'chai';
import { HOUSE } from '../architecture/house.ts';
import { coded, pageText, rowsOf } from './pages.ts';

const folders = Object.keys(HOUSE).filter((folder) => folder !== '.');
const adapters = folders
  .filter((folder) => folder.startsWith('adapters/'))
  .map((folder) => folder.slice('adapters/'.length));

/** The layer of a folder, by the name that it has in the picture. */
function layerOf(folder: string): string {
  return folder === '.' ? 'petstore' : (folder.split('/')[0] ?? '');
}

for (const page of ['docs/architecture.md']) {
  describe(`The picture of the house in ${page}`, () => {
    const picture = /```mermaid\nflowchart TD\n(.*?)```/s.exec(pageText(page))?.[1] ?? '';

    it('has the arrows that the house allows, and no other', () => {
      const drawn = Array.from(
        picture.matchAll(/^\s*(\S+?)(?:\[.*\])? --> (\S+)$/gm),
        ([, from, to]) => `${from} ${to}`,
      );
      const allowed = Object.entries(HOUSE).flatMap(([folder, room]) =>
        room.folders.map((other) => `${layerOf(folder)} ${layerOf(other)}`),
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

describe('The page about the house', () => {
  const page = pageText('docs/architecture.md');

  it('says which packages a folder may use, and whether modules of Node', () => {
    const said = rowsOf(page, 'folder', 'packages', 'modules of Node').map(([folder = '', packages = '', node]) => ({
      folder: coded(folder)[0]?.replace('src/', ''),
      packages: coded(packages),
      node: node === 'yes',
    }));

    expect(said).to.have.deep.members(
      folders.map((folder) => ({ folder, packages: HOUSE[folder]?.packages, node: HOUSE[folder]?.node })),
    );
  });

  it('says that no adapter imports another, and that is so', () => {
    const others = adapters.flatMap((adapter) => HOUSE[`adapters/${adapter}`]?.folders ?? []);

    expect(others.filter((folder) => folder.startsWith('adapters/'))).to.deep.equal([]);
    expect(page).to.include('an adapter never imports another');
  });
});
