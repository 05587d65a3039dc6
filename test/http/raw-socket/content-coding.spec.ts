import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { encodingFor } from '../../../src/adapters/http/response/negotiation.ts';
import type { Answer, Headers } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const LIST = '/pets?limit=100';
const BROWSER = 'gzip, deflate, br, zstd';
const LONG = 'Ä dog. '.repeat(140).trim();
const CODINGS = ['identity', 'gzip', 'br'] as const;

const codingOf = (answer: Answer) => answer.header('content-encoding') ?? 'identity';

describe('The content coding of a response', () => {
  const store = runningPetstore();
  const accepting = (codings: string | undefined, headers: Headers = {}): Headers =>
    codings === undefined ? headers : { ...headers, 'Accept-Encoding': codings };

  beforeEach(async () => {
    await store.category('Dogs', LONG);
    await store.post(
      '/pets/batch',
      Array.from({ length: 100 }, (_, i) => ({ name: `Rex ${i}`, categoryId: 1 })),
    );
  });

  it('is the one that the client prefers', async () => {
    for (const [accepted, coding] of [
      [undefined, 'identity'],
      ['', 'identity'],
      ['identity', 'identity'],
      ['gzip', 'gzip'],
      ['GZip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['br', 'br'],
      [BROWSER, 'br'],
      ['gzip, br;q=0.9', 'gzip'],
      ['br;q=0.5, gzip;q=0.4', 'br'],
      ['*', 'br'],
      ['br;q=0, *', 'gzip'],
      ['gzip;q=0', 'identity'],
      ['deflate, zstd', 'identity'],
      ['identity, gzip;q=0.5', 'identity'],
      ['identity;q=0.5, gzip;q=0.5', 'gzip'],
      ['gzip, identity;q=0', 'gzip'],
      ['gzip, *;q=0', 'gzip'],
      ['identity, *;q=0', 'identity'],
    ] as const) {
      const answer = await store.get<unknown[]>(LIST, accepting(accepted));
      expect(codingOf(answer), accepted).to.equal(coding);
      expect(answer.body).to.have.lengthOf(100);
      expect(answer.header('vary')).to.match(/\bAccept-Encoding\b/);
      expect(answer.header('content-length')).to.equal(String(answer.encoded.length));
    }
  });

  it('decodes to the same representation', async () => {
    const [plain, gzipped, br] = await Promise.all(CODINGS.map((coding) => store.get(LIST, accepting(coding))));

    expect(gunzipSync(gzipped?.encoded ?? '').equals(plain?.encoded ?? Buffer.of())).to.equal(true);
    expect(brotliDecompressSync(br?.encoded ?? '').equals(plain?.encoded ?? Buffer.of())).to.equal(true);
    expect(gzipped?.encoded.length).to.be.below((plain?.encoded.length ?? 0) / 4);
    expect(br?.encoded.length).to.be.below((plain?.encoded.length ?? 0) / 4);
  });

  it('is the same for a body that is compressed on a thread', async () => {
    for (let i = 0; i < 30; i += 1) await store.category(`Dogs ${i}`, LONG);
    const plain = await store.get('/categories?limit=100');
    expect(plain.encoded.length).to.be.above(20_000);

    for (const coding of ['gzip', 'br']) {
      const answer = await store.get('/categories?limit=100', accepting(coding));
      expect(codingOf(answer)).to.equal(coding);
      expect(answer.text).to.equal(plain.text);
      expect((await store.head('/categories?limit=100', accepting(coding))).header('content-length')).to.equal(
        String(answer.encoded.length),
      );
    }
  });

  it('is none for a small body, without a header', async () => {
    for (const target of ['/store/pets/1', '/pets?limit=2', '/store/pets/999', '/health/live']) {
      const answer = await store.get(target, accepting(BROWSER));
      expect(codingOf(answer), target).to.equal('identity');
      expect(answer.header('vary') ?? '').to.not.include('Accept-Encoding');
    }
  });

  it('is none for a type that is compressed already', () => {
    for (const type of ['image/png', 'font/woff2', 'application/zip', 'application/octet-stream']) {
      expect(encodingFor(BROWSER, type, 100_000), type).to.deep.equal({ coding: 'identity', varies: false });
    }
  });

  it('is used even for a small body, if the client refuses identity', async () => {
    for (const [method, target, status] of [
      ['GET', '/store/pets/1', 200],
      ['GET', '/store/pets/999', 404],
      ['DELETE', '/store/pets/1', 204],
      ['GET', '/openapi.json', 200],
    ] as const) {
      const answer = await store.send(method, target, { headers: accepting('gzip, identity;q=0') });
      expect(answer.status).to.equal(status);
      expect(codingOf(answer), target).to.equal(status === 204 ? 'identity' : 'gzip');
    }
  });

  it('must be acceptable, or nothing is done', async () => {
    for (const excluding of ['identity;q=0', '*;q=0', 'deflate, identity;q=0', 'br;q=0, gzip;q=0, identity;q=0.0']) {
      const headers = accepting(excluding);
      refused(await store.get('/store/pets/1', headers), 406, 'not_acceptable');
      refused(await store.post('/pets', { name: 'Tom', categoryId: 1 }, headers), 406, 'not_acceptable');
      refused(await store.delete('/store/pets/1', headers), 406, 'not_acceptable');
      refused(await store.get('/openapi.json', headers), 406, 'not_acceptable');
    }
    expect((await store.get('/store/pets/1')).status).to.equal(200);
    expect((await store.get('/store/pets/101')).status).to.equal(404);
  });

  it('has its own strong tag, and any of these satisfies a condition', async () => {
    const tags: string[] = [];
    for (const coding of CODINGS) {
      const answer = await store.get('/categories/1', accepting(coding));
      expect(codingOf(answer)).to.equal(coding);
      expect(answer.header('etag')).to.match(/^"[\w.-]+"$/);
      tags.push(answer.header('etag') ?? '');
    }
    expect(new Set(tags).size).to.equal(3);

    for (const [i, coding] of CODINGS.entries()) {
      for (const known of tags) {
        for (const form of [known, `W/${known}`, `"x", ${known}`]) {
          const answer = await store.get('/categories/1', accepting(coding, { 'If-None-Match': form }));
          expect(answer.status, form).to.equal(304);
          expect(answer.header('etag'), 'the tag that a 200 would have had').to.equal(tags[i]);
          expect(answer.header('vary')).to.include('Accept-Encoding');
          expect(answer.header('content-encoding')).to.equal(undefined);
        }
        expect((await store.get('/categories/1', accepting(coding, { 'If-Match': known }))).status).to.equal(200);
      }
    }

    for (const [i, tag] of tags.entries()) {
      const changed = await store.patch('/categories/1', { description: `${LONG}${i}` }, { 'If-Match': tag });
      expect(changed.status, tag).to.equal(200);
      refused(await store.patch('/categories/1', { name: 'Cats' }, { 'If-Match': tag }), 412, 'precondition_failed');
      await store.patch('/categories/1', { description: LONG });
    }
    refused(
      await store.patch('/categories/1', { name: 'X' }, { 'If-Match': `W/${tags[1]}` }),
      412,
      'precondition_failed',
    );
    refused(await store.get('/categories/1', { 'If-Match': '"x.gzip"' }), 412, 'precondition_failed');
    refused(
      await store.get('/categories/1', { 'If-Match': tags[1]?.replace('gzip', 'zstd') ?? '' }),
      412,
      'precondition_failed',
    );
  });

  it('of a change has the tag of the uncompressed form', async () => {
    const plain = await store.get('/categories/1');
    const category = { name: 'Dogs', description: LONG };
    const put = await store.put('/categories/1', category, accepting(BROWSER));
    const patched = await store.patch('/categories/1', { name: 'Dogs' }, accepting(BROWSER));
    const created = await store.post('/categories', { name: 'Cats', description: LONG }, accepting(BROWSER));

    for (const answer of [put, patched, created]) expect(codingOf(answer)).to.equal('br');
    expect(put.header('etag')).to.equal(plain.header('etag'));
    expect(patched.header('etag')).to.equal(plain.header('etag'));
    expect(created.header('etag')).to.equal((await store.get('/categories/2')).header('etag'));
  });

  it('of a replayed response is one that the retry accepts', async () => {
    const body = { name: 'Cats', description: LONG };
    const key = { 'Idempotency-Key': 'k1' };
    const first = await store.post('/categories', body, accepting('br', key));
    const again = await Promise.all(
      [undefined, 'gzip', 'br'].map((coding) => store.post('/categories', body, accepting(coding, key))),
    );

    expect(again.map(codingOf)).to.deep.equal(['identity', 'gzip', 'br']);
    for (const replay of again) {
      expect(replay.header('idempotent-replayed')).to.equal('true');
      expect(replay.text).to.equal(first.text);
      expect(replay.header('etag')).to.equal(first.header('etag'));
    }
  });

  it('is the same for HEAD', async () => {
    for (const coding of CODINGS) {
      for (const target of [LIST, '/categories/1', '/store/pets/1', '/openapi.json']) {
        const [get, head] = [await store.get(target, accepting(coding)), await store.head(target, accepting(coding))];
        for (const name of ['etag', 'content-encoding', 'content-length', 'vary', 'cache-control', 'content-type']) {
          expect(head.header(name), `${target} ${coding} ${name}`).to.equal(get.header(name));
        }
        expect(head.encoded).to.have.lengthOf(0);
      }
    }
  });

  it('applies to errors and files too', async () => {
    const faults = Array.from({ length: 50 }, () => ({ name: '', categoryId: 1 }));
    const error = await store.post('/pets/batch', faults, accepting(BROWSER));
    refused(error, 422, 'validation_failed');
    expect(codingOf(error)).to.equal('br');

    for (const [file, least] of [
      ['/openapi.json', 8],
      ['/openapi.yaml', 8],
      ['/docs/scalar.js', 3],
    ] as const) {
      const plain = await store.get(file);
      for (const coding of ['gzip', 'br']) {
        const small = await store.get(file, accepting(coding));
        expect(codingOf(small), file).to.equal(coding);
        expect(small.bytes.equals(plain.bytes)).to.equal(true);
        expect(small.encoded.length * least, file).to.be.below(plain.encoded.length);
        const tag = small.header('etag') ?? '';
        expect((await store.get(file, accepting(coding, { 'If-None-Match': tag }))).status).to.equal(304);
      }
    }
  });
});
