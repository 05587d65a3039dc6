import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

/** So many levels of nesting around a number. */
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

describe('A body of JSON', () => {
  const store = runningPetstore();

  beforeEach(() => store.category());

  const send = (content: string | Uint8Array) =>
    store.send('POST', '/pets', { headers: { 'Content-Type': 'application/json' }, content });

  it('may have white space around its tokens, and its fields in any order', async () => {
    const answer = await send('\r\n\t { "categoryId" : 1 ,\n "name" : "Rex" } \n');

    expect(answer.status).to.equal(201);
  });

  it('is refused without the punctuation of JSON', async () => {
    for (const content of [
      '{',
      '{"name":"Rex","categoryId":1',
      '{"name":"Rex","categoryId":1}}',
      '{"name":"Rex","categoryId":1} {}',
      "{'name':'Rex','categoryId':1}",
      '{name:"Rex","categoryId":1}',
      '{"name":"Rex","categoryId":1,}',
      '{"name":"Rex","categoryId":01}',
      '{"name":"Rex","categoryId":+1}',
      '{"name":"Rex","categoryId":.5}',
      '{"name":"Rex","categoryId":NaN}',
      '{"name":"Re\nx","categoryId":1}',
      '{"name":"\\x41","categoryId":1}',
      '{"name":"\\u12","categoryId":1}',
      '// a comment\n{"name":"Rex","categoryId":1}',
      'name=Rex&categoryId=1',
      'undefined',
      ' ',
    ]) {
      refused(await send(content), 400, 'malformed_json');
    }
  });

  it("is refused with the position of the fault, without the parser's own message", async () => {
    const messageOf = async (content: string) => refused(await send(content), 400, 'malformed_json').message;

    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId" 1\n}')).to.include('line 3, column 16');
    expect(await messageOf('{\n  "name": "Rex",\n')).to.include('line 3, column 1');
    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId": x\n}')).to.not.include('line 4');
    expect(await messageOf('{"name": x}')).to.not.match(/Unexpected|Expected|token|position/);
  });

  it('is required where the operation takes one', async () => {
    refused(await send(''), 400, 'malformed_json');
    refused(await store.send('POST', '/pets'), 400, 'malformed_json');
    refused(
      await store.send('POST', '/pets', { headers: { 'Content-Type': 'application/json' }, content: [] }),
      400,
      'malformed_json',
    );
    refused(await store.send('PUT', '/store/inventory/1'), 400, 'malformed_json');
    refused(await store.send('PATCH', '/store/orders/1'), 400, 'malformed_json');
  });

  it('must not have a key twice in one object', async () => {
    for (const content of [
      '{"name":"Rex","categoryId":1,"name":"Tom"}',
      '{"name":"Rex","categoryId":1,"name":"Rex"}',
      '{"name":"Rex","categoryId":1,"n\\u0061me":"Tom"}',
      '{"name":"Rex","categoryId":1,"x":{"a":1,"a":2}}',
      '{"name":"Rex","categoryId":1,"x":[{"a":1},{"a":2,"b":[],"a":3}]}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      expect(refused(await send(content), 400, 'malformed_json').message).to.include('duplicate');
    }
    refused(
      await send('{"name":"Rex","categoryId":1,"x":[{"a":1},{"a":2}],"y":{"a":{"a":1}}}'),
      422,
      'validation_failed',
    );
  });

  it('must be valid UTF-8', async () => {
    const around = (...bytes: number[]) =>
      Buffer.concat([Buffer.from('{"categoryId":1,"name":"Re'), Buffer.from(bytes), Buffer.from('x"}')]);

    expect((await send(around(0xf0, 0x9f, 0x90, 0xb6))).status).to.equal(201);
    for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      expect(refused(await send(around(...bytes)), 400, 'malformed_json').message).to.include('UTF-8');
    }
    refused(await send(Buffer.from('{"name":"Rex","categoryId":1}', 'utf16le')), 400, 'malformed_json');
  });

  it('must not begin with a byte order mark', async () => {
    refused(await send('\ufeff{"name":"Rex","categoryId":1}'), 400, 'malformed_json');
  });

  it('may nest up to 32 levels deep, and no deeper', async () => {
    refused(await send(nested(32)), 422, 'validation_failed');
    expect(refused(await send(nested(33)), 400, 'malformed_json').message).to.include('32');
    refused(await send(`{"name":${nested(31)}}`), 422, 'validation_failed');
    refused(await send(`{"name":${nested(32)}}`), 400, 'malformed_json');
    refused(await send(nested(100_000)), 400, 'malformed_json');
    refused(await send('['.repeat(100_000)), 400, 'malformed_json');
    refused(await send('{"a":'.repeat(50_000)), 400, 'malformed_json');
    refused(await send(`{"name":"${'['.repeat(200)}","categoryId":1}`), 422, 'validation_failed');
  });

  it('must be an object where an object is declared, and a list where a list is', async () => {
    for (const content of ['null', '[]', '"Rex"', '7', 'true']) refused(await send(content), 422, 'validation_failed');
    for (const content of ['null', '{}', '"Rex"']) {
      const answer = await store.send('POST', '/pets/batch', {
        headers: { 'Content-Type': 'application/json' },
        content,
      });
      refused(answer, 422, 'validation_failed');
    }
  });

  it('changes nothing when it cannot be read', async () => {
    await send('{"name":"Rex","categoryId":1,"name":"Tom"}');

    expect((await store.get('/pets')).body).to.deep.equal([]);
  });
});
