import { expect } from 'chai';
import { KeyDesk } from '../../../src/application/key-desk.ts';
import type { Scope } from '../../../src/domain/scope.ts';
import type { Answer } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const DAY = 86_400_000;
const SUNSET = Date.UTC(2027, 11, 31, 23, 59, 59);

/** What every answer of a deprecated operation says. */
function marksOf(answer: Answer) {
  return [answer.header('deprecation'), answer.header('sunset'), answer.header('link')];
}

describe('getPet, which is deprecated', () => {
  const store = runningPetstore();

  const MARKS = ['@1782777600', 'Fri, 31 Dec 2027 23:59:59 GMT', '</store/pets/1>; rel="successor-version"'];

  beforeEach(() => store.pet());

  for (const [moment, at] of [
    ['today', undefined],
    ['long before it was deprecated', Date.UTC(2020, 0, 1)],
    ['a millisecond before its sunset', SUNSET - 1],
  ] as const) {
    describe(moment, () => {
      beforeEach(() => at === undefined || store.clock.set(at));

      it('works, and announces its sunset', async () => {
        const answer = await store.get('/pets/1');

        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 1, status: 'available' });
        expect(marksOf(answer)).to.deep.equal(MARKS);
      });

      it('announces it in every other response too', async () => {
        const responses: [Answer, status: number][] = [
          [await store.head('/pets/1'), 200],
          [await store.get('/pets/1', { 'If-None-Match': '*' }), 304],
          [await store.get('/pets/1?expand=category'), 400],
          [await store.get('/pets/1?x=%zz'), 400],
          [await store.get('/pets/1', { 'If-None-Match': 'x' }), 400],
          [await store.get('/pets/1', { Accept: 'text/html' }), 406],
          [await store.get('/pets/1', { 'If-Match': '"x"' }), 412],
        ];
        for (const [answer, status] of responses) {
          expect(answer.status).to.equal(status);
          expect(marksOf(answer), String(status)).to.deep.equal(MARKS);
        }
      });
    });
  }

  it('links to the successor of the requested pet, even if there is no such pet', async () => {
    for (const [path, successor, status] of [
      ['/pets/9', '/store/pets/9', 404],
      ['/pets/abc', '/store/pets/abc', 400],
      ['/pets/%3E%22x', '/store/pets/%3E%22x', 400],
      ['/pets/9007199254740993', '/store/pets/9007199254740993', 400],
    ] as const) {
      const answer = await store.get(path);
      expect(answer.status).to.equal(status);
      expect(answer.header('link')).to.equal(`<${successor}>; rel="successor-version"`);
    }
  });

  for (const [moment, at] of [
    ['at the instant of its sunset', SUNSET],
    ['years after it', SUNSET + 1000 * DAY],
  ] as const) {
    describe(moment, () => {
      beforeEach(() => store.clock.set(at));

      it('is 410, and names the successor', async () => {
        const answer = await store.get('/pets/1');

        const { message } = refused(answer, 410, 'operation_withdrawn');
        expect(message).to.include('/store/pets/1').and.to.include('2027-12-31');
        expect(marksOf(answer)).to.deep.equal(MARKS);
        expect((await store.head('/pets/1')).status).to.equal(410);
      });

      it('is 410 for every pet, and whatever else is wrong', async () => {
        for (const target of ['/pets/9', '/pets/abc', '/pets/1?x=1']) {
          refused(await store.get(target), 410, 'operation_withdrawn');
        }
      });

      it('is the only operation that is 410', async () => {
        expect((await store.get('/store/pets/1')).status).to.equal(200);
        expect((await store.get('/pets')).status).to.equal(200);
        refused(await store.send('DELETE', '/pets/1'), 405, 'method_not_allowed');
      });
    });
  }

  it('is the only deprecated operation', async () => {
    for (const target of ['/store/pets/1', '/pets', '/categories/1', '/store/orders']) {
      const answer = await store.get(target);
      expect([answer.header('deprecation'), answer.header('sunset')]).to.deep.equal([undefined, undefined]);
    }
    const marked = Object.values(store.document.paths)
      .flatMap((operations) => Object.values(operations))
      .filter(({ deprecated }) => deprecated);
    expect(marked.map(({ operationId }) => operationId)).to.deep.equal(['getPet']);
    expect(marked[0]).to.include({ 'x-sunset': '2027-12-31', 'x-deprecated-sunset': '2027-12-31' });
  });

  it('is counted in the metrics, call by call', async () => {
    await store.get('/pets/1');
    await store.get('/pets/9');

    const { text } = await store.get('/metrics');

    expect(text).to.match(/^petstore_deprecated_calls_total\{operation="getPet",caller="[^"]+"\} 2$/m);
  });
});

describe('getPet with other dates', () => {
  const store = runningPetstore({
    getPetDeprecated: Date.UTC(2026, 0, 1, 12),
    getPetSunset: Date.UTC(2026, 11, 1),
  });

  beforeEach(() => store.pet());

  it('announces them', async () => {
    const before = await store.get('/pets/1');
    store.clock.set(Date.UTC(2026, 11, 1));
    const after = await store.get('/pets/1');

    expect([before.status, after.status]).to.deep.equal([200, 410]);
    for (const answer of [before, after]) {
      expect(marksOf(answer).slice(0, 2)).to.deep.equal(['@1767268800', 'Tue, 01 Dec 2026 00:00:00 GMT']);
    }
    expect(store.document.paths['/pets/{petId}']?.['get']).to.include({ 'x-sunset': '2026-12-01' });
  });
});

describe('getPet after its sunset, while authentication is on,', () => {
  const store = runningPetstore({ auth: ['api-key'], rateLimit: false });

  it('is 401 and 403 before it is 410', async () => {
    const bearer = async (scope: Scope) => {
      const { secret } = await store.petstore.container.get(KeyDesk).issue({ name: 'a key', scopes: [scope] });
      return { Authorization: `Bearer ${secret}` };
    };
    store.clock.set(SUNSET);

    refused(await store.get('/pets/1'), 401, 'unauthenticated');
    refused(await store.get('/pets/1', await bearer('store:read')), 403, 'insufficient_scope');
    refused(await store.get('/pets/1', await bearer('pets:read')), 410, 'operation_withdrawn');
  });
});
