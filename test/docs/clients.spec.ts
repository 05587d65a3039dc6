import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { pageText } from './pages.ts';

const GATES = new URL('../clients/', import.meta.url);

/** The versions of generators, compilers and validators that a gate installs: not of the libraries that clients import. */
const GENERATORS =
  /\b(openapi-generator|oapi-codegen|kin-openapi|openapi-typescript|openapi-fetch|openapi-ts|zod|openapi-python-client|oasdiff|typescript)(?:@v?|==|-)(\d+\.\d+\.\d+)/g;

describe('The page about generated clients', () => {
  const page = pageText('docs/clients.md');
  const gates = readdirSync(GATES)
    .filter((name) => name.endsWith('.gate.ts'))
    .map((name) => readFileSync(new URL(name, GATES), 'utf8'))
    .join('\n');

  it('names the versions that the gate installs', () => {
    const versions = new Set(
      Array.from(gates.matchAll(GENERATORS), ([, name = '', version = '']) => `${name} ${version}`),
    );

    expect(versions.size).to.be.above(6);
    for (const named of versions) expect(page, named).to.include(named.split(' ')[1]);
  });

  it('names every flag that the gate passes to a generator', () => {
    const flags = Array.from(
      gates.matchAll(/--(?:package-name|library|default-non-nullable=false|recommend)\b/g),
      ([flag]) => flag,
    );
    const options = Array.from(
      gates.matchAll(/nullable-type: true|always-prefix-enum-values: true|post_hooks: \[\]/g),
      ([flag]) => flag,
    );

    expect([...flags, ...options]).to.have.length.above(6);
    for (const flag of [...flags, ...options]) expect(page).to.include(flag);
  });
});
