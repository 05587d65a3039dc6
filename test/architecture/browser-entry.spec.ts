import { posix } from 'node:path';
import { expect } from 'chai';
import { importsOf, sourceFiles } from './layers.ts';

/** What belongs to Node, to a database or to a process. */
const FORBIDDEN = /^(?:node:|koa|@koa\/|@mikro-orm\/|kysely|pg|pino|commander|jose|rate-limiter-flexible|@scalar\/)/;

/** Everything that a file imports at run time, directly or indirectly: the files, and the modules outside `src`. */
function reachableFrom(entry: string, files: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map([[entry, 'the entry point']]);
  for (const [file] of found) {
    const text = files.get(file)?.replace(/^(?:import|export) type\b[^;]*;$/gm, '') ?? '';
    for (const module of importsOf(text)) {
      const target = module.startsWith('.') ? posix.join(posix.dirname(file), module) : module;
      if (!found.has(target)) found.set(target, file);
    }
  }
  return found;
}

const outside = (reachable: ReadonlyMap<string, string>) =>
  [...reachable.keys()].filter((name) => !name.endsWith('.ts'));

describe('The entry point for browsers', () => {
  const files = sourceFiles();
  const reachable = reachableFrom('browser.ts', files);

  it('reaches no module of Node, and no package that needs one', () => {
    const forbidden = [...reachable].filter(([module]) => FORBIDDEN.test(module));

    expect(forbidden).to.deep.equal([]);
    expect(outside(reachable)).to.include.members(['inversify', '@noble/hashes/sha2.js']);
  });

  it('reaches the whole interface, the use cases, the rules and the storage in memory', () => {
    expect([...reachable.keys()]).to.include.members([
      'api/orders.operations.ts',
      'application/order-desk.ts',
      'domain/inventory-item.ts',
      'adapters/in-memory/store.ts',
      'adapters/http/fetch/fetch-handler.ts',
      'adapters/http/handler/guards.ts',
    ]);
    for (const file of reachable.keys()) expect(file).to.not.match(/mikro-orm|\/koa\/|conformance|\/cli\//);
  });

  it('would be seen to reach what a file behind it imports', () => {
    const violation = "import type { A } from 'koa';\nexport const later = () => import('node:fs');\n";
    const changed = new Map(files).set('domain/pet.ts', violation);

    expect(outside(reachableFrom('browser.ts', changed)))
      .to.include('node:fs')
      .and.not.include('koa');
  });
});
