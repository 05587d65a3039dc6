import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { isStale } from './build.js';

describe('The build in dist', () => {
  const folder = freshFolder();
  const [EARLIER, BUILT, LATER] = [1_000, 2_000, 3_000];

  /** A file or a folder that was changed at that time. */
  function place(path: string, time: number): void {
    if (!path.endsWith('/')) writeFileSync(join(folder(), path), '');
    utimesSync(join(folder(), path), time, time);
  }

  beforeEach(() => {
    for (const path of ['src/domain', 'dist']) mkdirSync(join(folder(), path), { recursive: true });
    for (const path of ['tsconfig.json', 'package.json', 'src/domain/pet.ts']) place(path, EARLIER);
    for (const path of ['src/domain/', 'src/']) place(path, EARLIER);
    place('dist/.built', BUILT);
  });

  it('is up to date if none of its sources has changed', () => {
    expect(isStale(folder())).to.equal(false);
  });

  for (const path of ['src/domain/pet.ts', 'tsconfig.json', 'package.json']) {
    it(`is stale when ${path} has changed`, () => {
      place(path, LATER);

      expect(isStale(folder())).to.equal(true);
    });
  }

  it('is stale when a file was removed', () => {
    rmSync(join(folder(), 'src/domain/pet.ts'));

    expect(isStale(folder())).to.equal(true);
  });

  it('is stale when it was interrupted', () => {
    rmSync(join(folder(), 'dist/.built'));

    expect(isStale(folder())).to.equal(true);
  });

  it('is up to date if there are no sources', () => {
    rmSync(join(folder(), 'src'), { recursive: true });
    rmSync(join(folder(), 'dist/.built'));

    expect(isStale(folder())).to.equal(false);
  });
});
