import { hash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { PinoLog } from '../../../src/adapters/logging/pino-log.ts';
import { Log } from '../../../src/application/ports/log.ts';
import { Reader } from '../../../src/application/ports/reader.ts';
import type { Headers } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Texts of about `n` characters for which a careless pattern or loop takes quadratic time or worse. */
const SLOW_TEXTS: Record<string, (n: number) => string> = {
  'white space with something at its end': (n) => `${' '.repeat(n)}\0`,
  'white space between two letters': (n) => `a${' '.repeat(n)}a\0`,
  'white space of many kinds': (n) => `a${'\u00a0 \u2003\t'.repeat(n / 4)}\0`,
  'letters and white space in turns': (n) => `${'a '.repeat(n / 2)}\0`,
  'letters with something at their end': (n) => `${'a'.repeat(n)}\0`,
  quotes: (n) => '"'.repeat(n),
  'entity tags with something at their end': (n) => `${'"a", '.repeat(n / 5)}x`,
  'entity tags far apart': (n) => `"a"${' '.repeat(n)},${' '.repeat(n)}x`,
  'weak entity tags': (n) => `${'W/"",'.repeat(n / 5)}W/`,
  'combining marks out of order': (n) => `a${'\u0301\u0316'.repeat(n / 2)}`,
  'half characters': (n) => '\ud800'.repeat(n),
  'whole characters': (n) => '🐶'.repeat(n / 2),
  'slashes and tildes': (n) => '/~'.repeat(n / 2),
  backslashes: (n) => '\\'.repeat(n),
  zeros: (n) => `${'0'.repeat(n)}1`,
  dates: (n) => `2026-11-21T09:00:00.${'9'.repeat(n)}`,
};

describe('A hostile text', () => {
  const lines: string[] = [];
  const output = { isTTY: false, write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WriteStream;
  const store = runningPetstore({
    modules: [new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(new PinoLog('debug', output)))],
  });

  beforeEach(async () => {
    lines.length = 0;
    await store.pet({ stock: 3 });
    await store.order({ petId: 1 });
  });

  const send = (method: string, target: string, content: string, headers: Headers = {}) =>
    store.send<Record<string, unknown>>(method, target, { headers: { ...JSON_TYPE, ...headers }, content });

  describe('that names what all objects have in common', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);

    for (const [what, content] of Object.entries({
      'a prototype': '{"__proto__":{"polluted":true,"status":"sold"},"name":"Tom","categoryId":1}',
      'a prototype in a prototype': '{"__proto__":{"__proto__":{"polluted":true}},"name":"Tom","categoryId":1}',
      'a constructor': '{"constructor":{"prototype":{"polluted":true}},"name":"Tom","categoryId":1}',
      'a prototype instead of a name': '{"name":{"__proto__":{"polluted":true}},"categoryId":1}',
      'the whole of a pet in a prototype': '{"__proto__":{"name":"Tom","categoryId":1}}',
      'a way to be text': '{"toString":1,"valueOf":1,"toJSON":1,"name":"Tom","categoryId":1}',
      'an escaped prototype': '{"\\u005f_proto__":{"polluted":true},"name":"Tom","categoryId":1}',
    })) {
      it(`by ${what} is refused, and changes nothing`, async () => {
        for (const [method, target, body] of [
          ['POST', '/pets', content],
          ['POST', '/pets/batch', `[${content},${content}]`],
          ['PUT', '/store/pets/1', content],
          ['PATCH', '/store/pets/1', content],
        ] as const) {
          refused(await send(method, target, body), 422, 'validation_failed');
        }
        expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
        expect(Object.getOwnPropertyNames(Object.prototype)).to.deep.equal(before);
        expect((await store.get('/store/pets/1')).body).to.deep.equal({
          id: 1,
          name: 'Rex',
          categoryId: 1,
          status: 'available',
        });
      });
    }

    for (const name of before) {
      it(`by ${name} in a target finds nothing`, async () => {
        expect((await store.get(`/${name}`)).status).to.equal(404);
        expect((await store.get(`/docs/${name}`)).status).to.equal(404);
        expect((await store.get(`/errors/${name}`)).status).to.equal(404);
        expect((await store.get(`/store/pets/${name}`)).status).to.equal(400);
        refused(await store.get(`/pets?${name}=1`), 400, 'unknown_parameter');
        refused(await store.get(`/pets?sort=${name}`), 400, 'invalid_parameter');
        refused(await store.get(`/pets?status=${name}`), 400, 'invalid_parameter');
        refused(await store.get(`/store/pets/1?expand=${name}`), 400, 'invalid_parameter');
      });
    }
  });

  describe('that is designed to keep the service busy', () => {
    /** A hang never returns: then the timeout of the test fails it. */
    const statusOf = async (asking: Promise<{ readonly status: number }>) => (await asking).status;

    for (const [what, make] of Object.entries(SLOW_TEXTS)) {
      it(`by ${what} keeps no pattern of the document busy`, () => {
        for (const pattern of patternsIn(store.document)) {
          const text = make(100_000);
          // A pattern with catastrophic backtracking is stopped, and throws.
          const test = () =>
            runInNewContext("new RegExp(pattern, 'u').test(text)", { pattern, text }, { timeout: 10_000 });
          expect(test(), pattern).to.be.a('boolean');
        }
      });

      it(`by ${what} in a body is refused, and blocks nothing`, async () => {
        // As long as a body may be: quadratic time would never return.
        const texts = [400_000, 150_000].map((length) => JSON.stringify(make(length)));
        const text = texts.find((candidate) => Buffer.byteLength(candidate) < 1_000_000) as string;
        for (const [method, target, body] of [
          ['POST', '/pets', `{"name":${text},"categoryId":1}`],
          ['POST', '/pets', `{"name":"Tom","categoryId":1,"status":${text}}`],
          ['POST', '/categories', `{"name":"Cats","description":${text}}`],
          ['POST', '/categories', `{${text}:1}`],
          ['POST', '/store/orders', `{"petId":1,"shipDate":${text}}`],
          ['PATCH', '/store/orders/1', `{"shipDate":${text}}`],
          ['POST', '/categories', text],
        ] as const) {
          expect(await statusOf(send(method, target, body)), `${method} ${target}`).to.equal(422);
        }
      });

      it(`by ${what} in a header or a query is answered, and blocks nothing`, async () => {
        const text = make(2_000);
        const field = [...text].filter((character) => /[\t -~\u0080-\u00ff]/.test(character)).join('');
        for (const name of [
          'If-Match',
          'If-None-Match',
          'Accept',
          'Prefer',
          'X-Request-Id',
          'Origin',
          'Content-Type',
        ]) {
          expect(await statusOf(store.get('/store/pets/1', { [name]: field }))).to.be.below(500);
          expect(await statusOf(store.get('/pets', { [name]: field }))).to.be.below(500);
          expect(await statusOf(send('PATCH', '/store/pets/1', '{"name":"Tom"}', { [name]: field }))).to.be.below(500);
        }
        for (const name of ['name', 'status', 'id', 'cursor', 'sort', 'limit', field.slice(0, 50)]) {
          const query = `${encodeURIComponent(name)}=${encodeURIComponent(text.slice(0, 800).toWellFormed())}`;
          expect(await statusOf(store.get(`/pets?${query.slice(0, 8_000)}`))).to.be.below(500);
        }
      });
    }

    for (const [what, body] of Object.entries({
      'a number with a million zeros': `{"petId":1.${'0'.repeat(900_000)}1}`,
      'a number with a million digits': `{"petId":${'9'.repeat(900_000)}}`,
      'a number with a large exponent': `{"petId":1e${'9'.repeat(900_000)}}`,
      'a million brackets': '['.repeat(500_000) + ']'.repeat(500_000),
      'a hundred thousand fields': `{${Array.from({ length: 60_000 }, (_, i) => `"x${i}":1`).join()}}`,
      'a hundred thousand empty fields': `[${'{},'.repeat(300_000)}{}]`,
      'white space': `${' '.repeat(500_000)}{"petId":1,${'\n'.repeat(500_000)}}`,
      commas: `{"petId":1${','.repeat(900_000)}}`,
    })) {
      it(`by ${what} is refused, and blocks nothing`, async () => {
        expect(await statusOf(send('POST', '/store/orders', body))).to.be.within(400, 422);
      });
    }

    for (const [what, character] of Object.entries({ letters: 'x', 'white space': ' ', 'wide letters': '犬' })) {
      it(`by as many ${what} as a batch may have is only too long for a name`, async () => {
        const name = `x${character.repeat(Math.floor(4_194_000 / Buffer.byteLength(character)))}x`;
        const answer = await send('POST', '/pets/batch', `[{"name":"${name}","categoryId":1}]`);

        const { details } = refused(answer, 422, 'validation_failed');
        expect(details?.map(({ code, pointer }) => [code, pointer])).to.deep.equal([['maxLength', '/0/name']]);
      });
    }
  });

  describe('that targets the response or the log', () => {
    it('cannot begin a line in the log', async () => {
      const reader = store.petstore.container.get(Reader);
      reader.pet = () => Promise.reject(new Error('broken\n{"level":"info","msg":"forged"}\r\nforged \u001b[31m'));
      const answer = await store.get('/store/pets/1', { 'X-Request-Id': '{"level":"info","msg":"forged"}' });

      const { message } = refused(answer, 500, 'internal_error');
      expect(message).not.to.match(/broken|forged/);
      const logged = lines.flatMap((line) => line.trimEnd().split('\n'));
      expect(logged.every((line) => (JSON.parse(line) as { msg: string }).msg !== 'forged')).to.equal(true);
      for (const control of ['\u001b', '\r']) expect(lines.join()).not.to.include(control);
    });

    it('is returned unchanged', async () => {
      const name = `</script><script>alert(1)</script>\u2028\u202e\${x}{{y}}%0d%0a`;
      const { body, header } = await store.post<{ id: number; name: string }>('/pets', { name, categoryId: 1 });

      expect(body.name).to.equal(name);
      expect(header('content-type')).to.equal('application/json');
      expect((await store.get<{ name: string }[]>(`/pets?name=${encodeURIComponent(name)}`)).body[0]).to.deep.equal(
        body,
      );
    });

    it('is never read as SQL or as a pattern', async () => {
      for (const name of ["'; drop table pets; --", '%', '_', '*', '\\', '[a-z]', '?', '?1', '$1', ':x']) {
        expect((await store.get(`/pets?name=${encodeURIComponent(name)}`)).body).to.deep.equal([]);
        await store.category(name);
        expect((await store.get<unknown[]>(`/categories?name=${encodeURIComponent(name)}`)).body).to.have.length(1);
      }
    });
  });

  describe('that is used as a cursor', () => {
    /** The best forgery of a cursor with knowledge of the algorithm. */
    const forged = (list: readonly unknown[], position: string) => {
      const text = Buffer.from(position).toString('base64url');
      return `${text}.${hash('sha256', `${text} ${JSON.stringify(list)}`, 'base64url').slice(0, 16)}`;
    };

    it('is accepted if it is one', async () => {
      expect((await store.get(`/pets?cursor=${forged(['pets', 'id', {}], '[1,1]')}`)).body).to.deep.equal([]);
    });

    for (const sort of ['id', '-id', 'name', '-name']) {
      it(`is refused if it is no position in a list by ${sort}`, async () => {
        for (const position of [
          '',
          'x',
          '{}',
          '[]',
          'null',
          '1',
          '"x"',
          '[1]',
          '[null,1]',
          '[{},1]',
          '[[],1]',
          '[true,1]',
          '["a","b"]',
          '[1,"1"]',
          '["a",1.5]',
          '[1,null]',
          '[1e99,1]',
          '["a\\u0000",1]',
          '["\\ud800",1]',
          sort.endsWith('id') ? '["a",1]' : '[1,1]',
        ]) {
          const cursor = forged(['pets', sort, {}], position);
          refused(await store.get(`/pets?sort=${sort}&cursor=${cursor}`), 400, 'invalid_cursor');
        }
      });
    }
  });
});

/** Every pattern in the document. */
function patternsIn(node: unknown): Set<string> {
  if (typeof node !== 'object' || node === null) return new Set();
  const own = 'pattern' in node && typeof node.pattern === 'string' ? [node.pattern] : [];
  return new Set([...own, ...Object.values(node).flatMap((inner) => [...patternsIn(inner)])]);
}
