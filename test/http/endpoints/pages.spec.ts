import { expect } from 'chai';
import { parse } from 'yaml';
import { ERROR_CODES, ERRORS } from '../../../src/api/errors/error-catalogue.ts';
import { failureOf } from '../../support/promises.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('A service endpoint', () => {
  const store = runningPetstore();

  describe('/health', () => {
    it('says that the service is live, and that it is ready', async () => {
      const [live, ready] = [await store.get('/health/live'), await store.get('/health/ready')];

      expect([live.status, live.body]).to.deep.equal([200, { status: 'live' }]);
      expect([ready.status, ready.body]).to.deep.equal([200, { status: 'ready' }]);
      for (const answer of [live, ready]) expect(answer.header('cache-control')).to.equal('no-store');
    });
  });

  describe('/errors', () => {
    it('explains every code, to programs and to people', async () => {
      for (const code of ERROR_CODES) {
        const data = await store.get<Record<string, unknown>>(`/errors/${code}`);
        const page = await store.get(`/errors/${code}`, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });

        expect([data.status, data.header('content-type')], code).to.deep.equal([200, 'application/json']);
        expect(data.body).to.deep.equal({ code, ...ERRORS[code] });
        expect([page.status, page.header('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
        expect(page.text)
          .to.match(/^<!doctype html>/)
          .and.include(code)
          .and.include(String(ERRORS[code].status));
        for (const answer of [data, page]) expect(answer.header('vary')).to.include('Accept');
        expect(page.header('etag')).to.not.equal(data.header('etag'));
      }
    });

    it('lists every code, to programs and to people', async () => {
      const data = await store.get<{ code: string }[]>('/errors');
      const page = await store.get('/errors', { Accept: 'text/html' });

      expect(data.body).to.deep.equal(ERROR_CODES.map((code) => ({ code, ...ERRORS[code] })));
      expect([page.status, page.header('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      for (const code of ERROR_CODES) expect(page.text).to.include(`<a href="./errors/${code}">`);
      for (const answer of [data, page]) expect(answer.header('vary')).to.include('Accept');
    });

    it('is 404 for any other code, in the requested media type', async () => {
      for (const code of [
        'nothing',
        'PET_NOT_FOUND',
        '__proto__',
        'constructor',
        'toString',
        '%3Cscript%3E',
        'x'.repeat(1000),
      ]) {
        const data = await store.get(`/errors/${code}`);
        const page = await store.get(`/errors/${code}`, { Accept: 'text/html' });

        expect(refused(data, 404, 'not_found').message).to.include('/errors lists all of them');
        expect([page.status, page.header('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
        expect(page.header('vary')).to.include('Accept');
        expect(page.text).to.include('<a href="../errors">').and.not.include('<script>');
      }
    });

    it('has the status of an error for every code', () => {
      for (const code of ERROR_CODES) expect(ERRORS[code].status, code).to.be.within(400, 599);
    });
  });

  describe('/metrics', () => {
    const SAMPLE =
      /^([a-zA-Z_:][\w:]*)(?:\{([a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*")*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;

    interface Sample {
      readonly name: string;
      readonly labels: string;
      readonly value: number;
    }

    /** Parses the text format of Prometheus, version 0.0.4, strictly. */
    async function read(): Promise<{ types: Map<string, string>; samples: Sample[] }> {
      const { text, header } = await store.get('/metrics');
      expect(header('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
      expect(text.endsWith('\n')).to.equal(true);
      const types = new Map<string, string>();
      const samples: Sample[] = [];
      for (const line of text.slice(0, -1).split('\n')) {
        const [, name = '', type = ''] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? [];
        if (type) {
          expect(types.has(name), line).to.equal(false);
          types.set(name, type);
        } else if (!/^# HELP \w+ \S/.test(line)) {
          const [, sample = '', labels = '', value = ''] =
            SAMPLE.exec(line) ?? expect.fail(`This is no sample: ${line}`);
          const family = sample.replace(/_(?:bucket|sum|count)$/, '');
          expect(types.get(sample) ?? types.get(family), line).to.be.a('string');
          samples.push({ name: sample, labels, value: Number(value) });
        }
      }
      expect(new Set(samples.map(({ name, labels }) => `${name}{${labels}}`)).size).to.equal(samples.length);
      return { types, samples };
    }

    const sampleOf = (samples: readonly Sample[], name: string, labels: string) =>
      samples.find((sample) => sample.name === name && sample.labels === labels)?.value;

    it('is text that Prometheus reads, also before the first request', async () => {
      const { samples } = await read();

      expect(samples).to.have.length.above(0);
    });

    it('counts no response to a client that has disconnected', async () => {
      const abort = new AbortController();
      const body = new ReadableStream<Uint8Array>({
        pull: () => {
          abort.abort();
        },
      });
      const headers = { 'Content-Type': 'application/json' };
      const request = new Request('http://localhost/categories', {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
        signal: abort.signal,
      });
      await failureOf(store.petstore.fetch(request));
      const socket = await RawSocket.connect(store.petstore.url);
      await socket
        .send(
          `POST /categories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
        )
        .flushed();
      await store.get('/categories');
      await socket.reset();
      await store.get('/categories');

      const { samples } = await read();

      expect(samples.filter(({ labels }) => labels.includes('createCategory'))).to.deep.equal([]);
    });

    it('has a histogram of the duration of every operation, by status', async () => {
      await store.pet();
      await store.get('/store/pets/1');
      await store.head('/store/pets/1');
      await store.get('/store/pets/9');

      const { types, samples } = await read();

      const name = 'petstore_http_request_duration_seconds';
      expect(types.get(name)).to.equal('histogram');
      expect(sampleOf(samples, `${name}_count`, 'operation="getStorePet",status="200"')).to.equal(2);
      expect(sampleOf(samples, `${name}_count`, 'operation="getStorePet",status="404"')).to.equal(1);
      expect(sampleOf(samples, `${name}_sum`, 'operation="getStorePet",status="200"')).to.be.above(0);
      const buckets = samples.filter(
        (sample) =>
          sample.name === `${name}_bucket` && sample.labels.startsWith('operation="getStorePet",status="200"'),
      );
      const counts = buckets.map(({ value }) => value);
      expect(counts).to.deep.equal(counts.toSorted((a, b) => a - b));
      expect(counts.at(-2), 'nothing here takes ten seconds').to.equal(2);
      expect(buckets.at(-1)).to.deep.include({ labels: 'operation="getStorePet",status="200",le="+Inf"', value: 2 });
    });

    it('has the figures of the store', async () => {
      await store.pet({ stock: 5 });
      await store.pet({ stock: 7 });
      await store.pet({ status: 'sold' });

      const { samples } = await read();

      expect(sampleOf(samples, 'petstore_pets', 'status="available"')).to.equal(2);
      expect(sampleOf(samples, 'petstore_units', 'status="available"')).to.equal(12);
      expect(sampleOf(samples, 'petstore_pets', 'status="pending"')).to.equal(0);
      expect(sampleOf(samples, 'petstore_pets', 'status="sold"')).to.equal(1);
    });
  });

  describe('the document', () => {
    it('is the same as JSON and as YAML', async () => {
      const [json, yaml] = [await store.get('/openapi.json'), await store.get('/openapi.yaml')];

      expect(json.header('content-type')).to.equal('application/json');
      expect(yaml.header('content-type')).to.equal('application/yaml');
      expect(parse(yaml.text)).to.deep.equal(json.body);
      // YAML 1.1 reads an unquoted date as a timestamp.
      expect(parse(yaml.text, { version: '1.1' })).to.deep.equal(json.body);
    });

    it('is not sent again to clients that have it', async () => {
      for (const path of ['/openapi.json', '/openapi.yaml', '/errors', '/errors/not_found', '/docs']) {
        const tag = (await store.get(path)).header('etag') ?? '';
        const again = await store.get(path, { 'If-None-Match': tag });
        expect([again.status, again.bytes.length], path).to.deep.equal([304, 0]);
      }
    });
  });
});
