import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { GUARDS } from '../../../src/adapters/http/handler/guards.ts';
import { ERRORS } from '../../../src/api/errors/error-catalogue.ts';

/** The statuses that the page lists, in their order. */
async function documentedStatuses(): Promise<number[]> {
  const page = await readFile(new URL('../../../docs/http.md', import.meta.url), 'utf8');
  const [, list = ''] = /the first of this order decides: (.*?)\n\n?(?:- |## )/s.exec(page) ?? [];
  return Array.from(list.matchAll(/\((\d{3})[^)]*\)/g), ([, status]) => Number(status));
}

describe('The order of checks', () => {
  it('is, for the guards of an operation, the one that docs/http.md states', async () => {
    const statuses = GUARDS.flatMap(({ codes }) => codes.map((code) => ERRORS[code].status));
    const [host, ...documented] = await documentedStatuses();

    expect(host).to.equal(403);
    expect(statuses).to.have.length.above(5);
    expect(documented.slice(0, new Set(statuses).size)).to.deep.equal([...new Set(statuses)]);
  });

  it('begins with rate limits, and ends with required conditions', () => {
    expect(GUARDS[0]?.codes).to.deep.equal(['rate_limited']);
    expect(GUARDS.at(-1)?.codes).to.deep.equal(['precondition_required']);
  });
});
