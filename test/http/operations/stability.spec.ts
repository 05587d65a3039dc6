import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const UNSTABLE: Readonly<Record<string, 'beta' | 'experimental'>> = {
  createPets: 'beta',
  listStockMovements: 'beta',
  listEvents: 'experimental',
  listWebhooks: 'beta',
  createWebhook: 'beta',
  getWebhook: 'beta',
  updateWebhook: 'beta',
  deleteWebhook: 'beta',
  rotateWebhookSecret: 'beta',
  listWebhookDeliveries: 'beta',
  redeliverWebhook: 'beta',
  pingWebhook: 'beta',
};

describe('An operation that may still change', () => {
  describe('while it is enabled', () => {
    const store = runningPetstore();

    beforeEach(() => store.pet());

    it('says so in every response', async () => {
      const answers = [
        await store.post('/pets/batch', [{ name: 'Tom', categoryId: 1 }]),
        await store.post('/pets/batch', []),
        await store.post('/pets/batch', [{ name: 'Tom', categoryId: 9 }]),
        await store.post('/pets/batch?x=1', []),
        await store.send('POST', '/pets/batch', { headers: { 'Content-Type': 'text/plain' }, content: 'x' }),
        await store.get('/store/inventory/1/movements'),
        await store.head('/store/inventory/1/movements'),
        await store.get('/store/inventory/1/movements', { 'If-None-Match': '*' }),
        await store.get('/store/inventory/9/movements'),
        await store.get('/store/inventory/1/movements', { Accept: 'text/html' }),
      ];

      expect(answers.map(({ status }) => status)).to.deep.equal([201, 422, 409, 400, 415, 200, 200, 304, 404, 406]);
      for (const answer of answers) expect(answer.header('stability')).to.equal('beta');
    });

    it('is the only one that does', async () => {
      for (const target of ['/pets', '/pets/1', '/store/pets/1', '/store/inventory/1', '/nowhere']) {
        expect((await store.get(target)).header('stability'), target).to.equal(undefined);
      }
    });

    it('is marked in the document, and so are all the others', () => {
      for (const operations of Object.values(store.document.paths)) {
        for (const operation of Object.values(operations)) {
          const stability = UNSTABLE[operation.operationId];
          const levels = { beta: 'beta', experimental: 'alpha' };
          expect(operation['x-stability-level']).to.equal(stability ? levels[stability] : 'stable');
          expect(operation['x-stability']).to.equal(stability);
          expect('x-badges' in operation).to.equal(stability !== undefined);
        }
      }
    });
  });

  describe('while it is disabled', () => {
    const store = runningPetstore({ unstable: false });

    beforeEach(() => store.pet());

    it('does not exist', async () => {
      refused(await store.post('/pets/batch', [{ name: 'Tom', categoryId: 1 }]), 404, 'not_found');
      refused(await store.get('/store/inventory/1/movements'), 404, 'not_found');
      refused(await store.send('OPTIONS', '/pets/batch'), 404, 'not_found');
      expect((await store.get('/pets')).body).to.have.lengthOf(1);
    });

    it('is absent from the document, with its path', () => {
      const ids = Object.values(store.document.paths).flatMap((operations) =>
        Object.values(operations).map(({ operationId }) => operationId),
      );

      expect(ids).to.not.include('createPets').and.not.include('listStockMovements');
      expect(ids).to.have.lengthOf(22);
      expect(store.document.paths).to.not.have.any.keys('/pets/batch', '/store/inventory/{petId}/movements');
    });

    it('removes nothing else', async () => {
      for (const target of ['/pets', '/pets/1', '/store/pets/1', '/store/inventory/1', '/store/inventory/summary']) {
        expect((await store.get(target)).status, target).to.equal(200);
      }
    });
  });
});
