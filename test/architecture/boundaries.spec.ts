import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { importsOf, LAYERS, layerOf, packageOf, sourceFiles, violationsOf } from './layers.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const files = sourceFiles();
const layers = Object.keys(LAYERS);
const code = [...files].filter(([name]) => name.endsWith('.ts'));

/** How a file in one folder would name a file in another. */
const pathBetween = (folder: string, other: string) => {
  const path = posix.relative(folder, posix.join(other, 'thing.ts'));
  return path.startsWith('.') ? path : `./${path}`;
};

describe('The layers of src', () => {
  it('has every folder that the table names, and none of them is empty', () => {
    for (const layer of layers) {
      expect(
        code.filter(([name]) => layerOf(name) === layer),
        layer,
      ).to.have.length.above(0);
    }
  });

  it('has no folder that the table does not name', () => {
    const unknown = [...files.keys()].filter((name) => layerOf(name) === undefined);

    expect(unknown).to.deep.equal([]);
  });

  it('imports nothing that the table does not allow', () => {
    const violations = code.flatMap(([name, text]) => violationsOf(name, text));

    expect(violations).to.deep.equal([]);
  });

  it('uses every package that the table allows, and Node where it does', () => {
    for (const [layer, { packages, node }] of Object.entries(LAYERS)) {
      const inside = code.filter(([name]) => layerOf(name) === layer);
      const imported = inside.flatMap(([, text]) => importsOf(text)).filter((module) => !module.startsWith('.'));

      expect(imported.map(packageOf), layer).to.include.members([...packages]);
      expect(
        imported.some((module) => module.startsWith('node:')),
        `${layer} and node:`,
      ).to.equal(node);
    }
  });

  it('has no file of more than 300 lines', () => {
    const long = code.filter(([, text]) => text.split('\n').length > 301).map(([name]) => name);

    expect(long).to.deep.equal([]);
  });

  it('has no barrel but its two entry points: nothing else is exported that was only imported', () => {
    const barrels = code
      .filter(([name, text]) => /(^|\/)index\.ts$/.test(name) || reExports(text))
      .map(([name]) => name);

    expect(barrels).to.deep.equal(['browser.ts', 'index.ts']);
    expect(reExports("export { Pet } from './pet.ts';")).to.equal(true);
    expect(reExports("export * from './pet.ts';")).to.equal(true);
    expect(reExports("export type {\n  Pet,\n  Order,\n} from './pet.ts';")).to.equal(true);
    expect(reExports("export const FROM = 'select id from pets';")).to.equal(false);
  });
});

function reExports(text: string): boolean {
  return /^export\s+(type\s+)?(\*|\{[^}]*\})[^;'"]*\sfrom\s/m.test(text);
}

describe('The check of the layers', () => {
  const FORMS: Record<string, (module: string) => string> = {
    'an import': (module) => `import { thing } from '${module}';`,
    'an import over many lines': (module) => `import {\n  type Some,\n  thing,\n} from "${module}";`,
    'a default import': (module) => `import thing from '${module}'`,
    'an import of everything': (module) => `import * as thing from '${module}';`,
    'an import of a type': (module) => `import type { Thing } from '${module}';`,
    'an import for its effect': (module) => `import '${module}';`,
    'an import behind another': (module) => `import { a } from './a.ts'\nimport { b } from '${module}'`,
    'an import in a call': (module) => `const { thing } = await import('${module}');`,
    'an import in a type': (module) => `type Thing = import('${module}').Thing;`,
    'an export of something imported': (module) => `export { thing } from '${module}';`,
    'a require': (module) => `const thing = createRequire(import.meta.url)('x') ?? require('${module}');`,
    'a resolve': (module) => `const thing = import.meta.resolve('${module}');`,
  };

  for (const [form, plant] of Object.entries(FORMS)) {
    it(`finds ${form}`, () => {
      expect(violationsOf('domain/pet.ts', plant('../adapters/http/json.ts'))).to.have.length(1);
      expect(violationsOf('api/paging.ts', plant('../adapters/http/json.ts'))).to.have.length(1);
      expect(violationsOf('api/paging.ts', plant('node:crypto'))).to.have.length(1);
      expect(violationsOf('api/paging.ts', plant('koa'))).to.have.length(1);
      expect(violationsOf('application/order-desk.ts', plant('../api/paging.ts'))).to.have.length(1);
      expect(violationsOf('domain/pet.ts', plant('koa'))).to.have.length(1);
      expect(violationsOf('application/order-desk.ts', plant('node:fs'))).to.have.length(1);
      expect(violationsOf('application/order-desk.ts', plant('fs'))).to.have.length(1);
      expect(violationsOf('adapters/http/json.ts', plant('../in-memory/store.ts'))).to.have.length(1);
      expect(violationsOf('adapters/mikro-orm/tables.ts', plant('inversify'))).to.have.length(1);
      expect(violationsOf('domain/pet.ts', plant('../../test/support/fixed-clock.ts'))).to.have.length(1);
      expect(violationsOf('domain/pet.ts', plant('./order.ts'))).to.deep.equal([]);
      expect(violationsOf('adapters/http/json.ts', plant('@koa/router'))).to.deep.equal([]);
    });
  }

  it('refuses an import with a computed module, and a file in an unknown folder', () => {
    expect(violationsOf('composition/main.ts', 'await import(`./pet.ts`);')).to.have.length(1);
    expect(violationsOf('composition/main.ts', 'await import(name);')).to.have.length(1);
    expect(violationsOf('conformance/command/child.ts', 'await import(name);')).to.deep.equal([]);
    expect(violationsOf('conformance/command/child.ts', "await import('koa');")).to.have.length(1);
    expect(violationsOf('adapters/carrier-pigeon/pigeon.ts', '')).to.have.length(1);
    expect(violationsOf('utils/helpers.ts', '')).to.have.length(1);
    expect(violationsOf('adapters/helpers.ts', '')).to.have.length(1);
  });

  it('and the linter agree about every pair of folders, and about Inversify', async () => {
    const planted = new Map<string, string>();
    // Layers may have folders of their own, as adapters/http and api have.
    const folders = layers.flatMap((layer) =>
      layer.startsWith('adapters/') || layer === 'api' ? [layer, `${layer}/inside`] : [layer],
    );
    for (const folder of folders) {
      const others = [...layers.map((other) => pathBetween(folder, other)), 'inversify'];
      if (['domain', 'application', 'api', 'api/inside'].includes(folder)) others.push('koa', 'node:fs');
      others.forEach((module, i) => {
        planted.set(posix.join(folder, `planted-${i}.ts`), `export const thing = import('${module}');\n`);
      });
    }

    const seen = [...planted].filter(([name, text]) => violationsOf(name, text).length > 0).map(([name]) => name);

    expect(seen).to.have.length.above(layers.length);
    expect(await lint(planted)).to.deep.equal(seen.sort());
  });
});

/** Runs the linter with the project's configuration over files with violations. Returns those that it refuses. */
async function lint(planted: ReadonlyMap<string, string>): Promise<string[]> {
  const folder = await temporaryFolder();
  try {
    await cp(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    for (const [name, text] of planted) {
      const file = join(folder, 'src', name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const printed = await new Promise<string>((resolve) => {
      const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
      execFile(process.execPath, [oxlint, '--format=json', 'src'], { cwd: folder }, (_error, out) => resolve(out));
    });
    const { diagnostics } = JSON.parse(printed) as { diagnostics: { code: string; filename: string }[] };
    const refused = diagnostics.filter(({ code: rule }) => rule === 'eslint(no-restricted-imports)');
    return [...new Set(refused.map(({ filename }) => filename.replaceAll('\\', '/').replace(/^src\//, '')))].sort();
  } finally {
    await removeFolder(folder);
  }
}
