import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A pet, with white space around it up to a size in bytes. */
const rexOf = (bytes: number) => '{"name":"Rex","categoryId":1}'.padEnd(bytes);
const batchOf = (bytes: number) => '[{"name":"Rex","categoryId":1}]'.padEnd(bytes);

describe('The size', () => {
  describe('by default', () => {
    const store = runningPetstore();

    beforeEach(() => store.category());

    const send = (path: string, content: string | string[]) =>
      store.send('POST', path, { headers: JSON_TYPE, content });

    /** The same in chunks, without a declared total. */
    const inChunks = (text: string) => text.match(/.{1,65536}/gs) ?? [];

    it('of a body is 1 MiB at most, whether it is declared or not', async () => {
      expect((await send('/pets', rexOf(MIB))).status).to.equal(201);
      expect((await send('/pets', inChunks(rexOf(MIB)))).status).to.equal(201);
      for (const content of [rexOf(MIB + 1), inChunks(rexOf(MIB + 1)), inChunks(rexOf(3 * MIB))]) {
        expect(refused(await send('/pets', content), 413, 'payload_too_large').message).to.include(String(MIB));
      }
    });

    it('of a batch is 4 MiB at most', async () => {
      expect((await send('/pets/batch', batchOf(4 * MIB))).status).to.equal(201);
      expect((await send('/pets/batch', inChunks(batchOf(4 * MIB)))).status).to.equal(201);
      refused(await send('/pets/batch', batchOf(4 * MIB + 1)), 413, 'payload_too_large');
      refused(await send('/pets/batch', inChunks(batchOf(4 * MIB + 1))), 413, 'payload_too_large');
    });

    it('of a body is checked before its content', async () => {
      refused(await send('/pets', 'x'.repeat(MIB + 1)), 413, 'payload_too_large');
      refused(
        await store.send('PUT', '/store/inventory/9', { headers: JSON_TYPE, content: rexOf(MIB + 1) }),
        413,
        'payload_too_large',
      );
      expect((await store.get('/pets')).body).to.deep.equal([]);
    });

    it('of a target is 8 KiB at most', async () => {
      const target = (bytes: number) => `/pets?name=${'x'.repeat(bytes - '/pets?name='.length)}`;

      refused(await store.get(target(8 * KIB)), 400, 'invalid_parameter');
      const error = refused(await store.get(target(8 * KIB + 1)), 414, 'uri_too_long');
      expect(error.message).to.include(String(8 * KIB));
      refused(await store.get(`/${'x'.repeat(8 * KIB)}`), 414, 'uri_too_long');
      expect((await store.head(target(9 * KIB))).status).to.equal(414);
    });

    it('of a target is refused as such also beyond the limit of all headers', async () => {
      for (const kib of [20, 60]) refused(await store.get(`/pets?name=${'x'.repeat(kib * KIB)}`), 414, 'uri_too_long');
    });

    it('of all headers together is 16 KiB at most', async () => {
      expect((await store.get('/pets', { 'X-Long': 'x'.repeat(15 * KIB) })).status).to.equal(200);
      const error = refused(await store.get('/pets', { 'X-Long': 'x'.repeat(17 * KIB) }), 431, 'headers_too_large');
      expect(error.message).to.include(String(16 * KIB));
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`X-${i}`, 'x']));
      refused(await store.get('/pets', many), 431, 'headers_too_large');
    });

    it('of a filter is limited by the values that it may list', async () => {
      const ids = Array.from({ length: 100 }, (_, i) => 9007199254740991 - i).join(',');

      expect((await store.get(`/pets?id=${ids}&name=${encodeURIComponent('🐶'.repeat(100))}`)).status).to.equal(200);
    });
  });

  describe('as configured', () => {
    const store = runningPetstore({ limits: { body: 2 * KIB, batchBody: 4 * KIB, url: 512, headers: 2 * KIB } });

    beforeEach(() => store.category());

    it('is the limit', async () => {
      const send = (path: string, content: string) => store.send('POST', path, { headers: JSON_TYPE, content });

      expect((await send('/pets', rexOf(2 * KIB))).status).to.equal(201);
      refused(await send('/pets', rexOf(2 * KIB + 1)), 413, 'payload_too_large');
      expect((await send('/pets/batch', batchOf(4 * KIB))).status).to.equal(201);
      refused(await send('/pets/batch', batchOf(4 * KIB + 1)), 413, 'payload_too_large');
      refused(await store.get(`/pets?name=${'x'.repeat(512)}`), 414, 'uri_too_long');
      refused(await store.get('/pets', { 'X-Long': 'x'.repeat(2 * KIB) }), 431, 'headers_too_large');
    });
  });
});
