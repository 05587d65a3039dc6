import { expect } from 'chai';
import { lifecycleExtensions } from '../../src/api/openapi/lifecycle-extensions.ts';
import { operationsOf, publishedDocument } from './document.ts';

const SUNSET = Date.parse('2027-12-31T23:59:59Z');
const deprecation = { since: Date.parse('2026-06-30'), sunset: SUNSET, successor: '/store/pets/{petId}' };

describe('The markers of an operation in the document', () => {
  const cases = [
    ['stable', {}, { 'x-stability-level': 'stable' }, undefined],
    ['beta', { stability: 'beta' }, { 'x-stability': 'beta', 'x-stability-level': 'beta' }, 'Beta'],
    [
      'experimental',
      { stability: 'experimental' },
      { 'x-stability': 'experimental', 'x-stability-level': 'alpha', 'x-scalar-stability': 'experimental' },
      'Experimental',
    ],
    [
      'deprecated',
      { deprecation },
      {
        deprecated: true,
        'x-stability-level': 'stable',
        'x-sunset': '2027-12-31',
        'x-deprecated-sunset': '2027-12-31',
      },
      undefined,
    ],
  ] as const;
  for (const [name, lifecycle, marks, badge] of cases) {
    it(`are exactly those that the readers of ${name} operations know`, () => {
      const { 'x-badges': badges, ...others } = lifecycleExtensions(lifecycle);

      expect(others).to.deep.equal(marks);
      expect((badges as { name: string }[] | undefined)?.map((shown) => shown.name)).to.deep.equal(badge && [badge]);
    });
  }

  it('stand on the operations of the interface', async () => {
    const marked = (mark: string) => (operation: Record<string, unknown>) => operation[mark] !== undefined;
    const operations = operationsOf(await publishedDocument()).map(({ operation }) => operation);

    expect(operations.filter(marked('x-stability-level'))).to.have.length(operations.length);
    expect(operations.filter(marked('x-sunset')).map(({ operationId }) => operationId)).to.deep.equal(['getPet']);
    for (const { operationId, deprecated } of operations) {
      expect(deprecated === true, operationId).to.equal(operationId === 'getPet');
    }
  });
});
