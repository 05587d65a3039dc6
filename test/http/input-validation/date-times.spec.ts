import { expect } from 'chai';
import type { OrderBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

/** What may be sent, and what comes back. */
const INSTANTS: [given: string, shown: string][] = [
  ['2026-12-24T09:00:00Z', '2026-12-24T09:00:00.000Z'],
  ['2026-12-24T09:00:00.5Z', '2026-12-24T09:00:00.500Z'],
  ['2026-12-24T09:00:00.123Z', '2026-12-24T09:00:00.123Z'],
  ['2026-12-24T09:00:00.123999Z', '2026-12-24T09:00:00.123Z'],
  ['2026-12-24T09:00:00+00:00', '2026-12-24T09:00:00.000Z'],
  ['2026-12-24T09:00:00-00:00', '2026-12-24T09:00:00.000Z'],
  ['2026-12-24T10:30:00+01:30', '2026-12-24T09:00:00.000Z'],
  ['2026-12-31T20:00:00-05:00', '2027-01-01T01:00:00.000Z'],
  ['2026-12-24t09:00:00z', '2026-12-24T09:00:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

const IMPOSSIBLE = [
  '2026-02-30T00:00:00Z',
  '2027-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-12-24T24:00:00Z',
  '2026-12-24T09:60:00Z',
  '2026-12-24T09:00:60Z',
  '2026-12-24T09:00:00+24:00',
  '2026-12-24T09:00:00+01:60',
  '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00',
];

const NO_DATE_TIMES = [
  '',
  'tomorrow',
  '2026-12-24',
  '2026-12-24T09:00:00',
  '2026-12-24T09:00Z',
  '2026-12-24 09:00:00Z',
  '2026-12-24T09:00:00+0100',
  '2026-12-24T09:00:00+01',
  '2026-12-24T09:00:00.Z',
  '2026-12-24T09:00:00,5Z',
  '26-12-24T09:00:00Z',
  '12026-12-24T09:00:00Z',
  '20261224T090000Z',
  '２０２６-12-24T09:00:00Z',
  ' 2026-12-24T09:00:00Z',
  '2026-12-24T09:00:00Z\n',
];

describe('A date-time over HTTP', () => {
  const store = runningPetstore();

  beforeEach(async () => {
    await store.pet();
    await store.order({ petId: 1 });
  });

  const shipOn = (shipDate: unknown) => store.patch<OrderBody>('/store/orders/1', { shipDate });

  it('may have any offset in a request, and is in UTC with milliseconds in a response', async () => {
    for (const [given, shown] of INSTANTS) {
      expect((await shipOn(given)).body.shipDate, given).to.equal(shown);
      expect((await store.get<OrderBody>('/store/orders/1')).body.shipDate).to.equal(shown);
    }
  });

  it('must exist', async () => {
    for (const given of IMPOSSIBLE) {
      const error = refused(await shipOn(given), 422, 'validation_failed');
      expect(placesOf(error), given).to.deep.equal(['/shipDate']);
    }
  });

  it('must have the form of RFC 3339, with an offset', async () => {
    for (const given of NO_DATE_TIMES) refused(await shipOn(given), 422, 'validation_failed');
    for (const given of [1_798_102_800_000, true, {}, ['2026-12-24T09:00:00Z']]) {
      refused(await shipOn(given), 422, 'validation_failed');
    }
  });

  it('follows the same rules in a query', async () => {
    for (const parameter of ['shipDateFrom', 'shipDateTo']) {
      for (const [given] of INSTANTS) {
        expect((await store.get(`/store/orders?${parameter}=${encodeURIComponent(given)}`)).status, given).to.equal(
          200,
        );
      }
      for (const given of [...IMPOSSIBLE, ...NO_DATE_TIMES]) {
        const answer = await store.get(`/store/orders?${parameter}=${encodeURIComponent(given)}`);
        expect(placesOf(refused(answer, 400, 'invalid_parameter')), given).to.deep.equal([parameter]);
      }
    }
  });

  it('is compared as an instant, in whatever form it was sent', async () => {
    await shipOn('2026-12-24T09:00:00Z');
    const found = async (query: string) => (await store.get<OrderBody[]>(`/store/orders?${query}`)).body.length;

    expect(await found('shipDateFrom=2026-12-24T10:00:00%2B01:00')).to.equal(1);
    expect(await found('shipDateFrom=2026-12-24T10:00:00.001%2B01:00')).to.equal(0);
    expect(await found('shipDateTo=2026-12-24T04:00:00-05:00')).to.equal(0);
    expect(await found('shipDateTo=2026-12-24T04:00:00.001-05:00')).to.equal(1);
  });
});
