import { expect } from 'chai';
import type { CategoryBody, PetBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('A text over HTTP', () => {
  const store = runningPetstore();

  beforeEach(() => store.category());

  const named = (name: unknown) => store.post<PetBody>('/pets', { name, categoryId: 1 });
  const nameOf = async (name: string) => (await named(name)).body.name;

  it('is normalised to NFC', async () => {
    expect(await nameOf('Zoe\u0301')).to.equal('Zo\u00e9');
    expect(await nameOf('\u212bke')).to.equal('\u00c5ke');
    expect(await nameOf('\u1112\u1161\u11ab')).to.equal('\ud55c');
  });

  it('loses the white space at its ends, and keeps it inside', async () => {
    expect(await nameOf('  Rex  the   Dog \t\r\n')).to.equal('Rex  the   Dog');
    expect(await nameOf('\u00a0\u2003\u3000\ufeffRex\u2028\u2029')).to.equal('Rex');
  });

  it('that is nothing but white space is empty', async () => {
    for (const name of ['', ' ', '\t\n', '\u3000']) {
      expect(placesOf(refused(await named(name), 422, 'validation_failed'))).to.deep.equal(['/name']);
    }
    const { body } = await store.patch<CategoryBody>('/categories/1', { description: ' \n ' });
    expect(body.description).to.equal('');
  });

  it('never has control characters inside', async () => {
    for (const control of ['\u0000', '\u0007', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009f']) {
      const error = refused(await named(`Re${control}x`), 422, 'validation_failed');
      expect(placesOf(error)).to.deep.equal(['/name']);
      expect(error.message).to.include('control');
    }
    refused(await store.post('/categories', { name: 'Cats', description: 'a\u0000b' }), 422, 'validation_failed');
  });

  it('never has control characters at its ends, unless they are white space', async () => {
    for (const name of ['Rex\u0000', '\u0007Rex', 'Rex\u0085']) refused(await named(name), 422, 'validation_failed');
  });

  it('never has a lone surrogate', async () => {
    for (const name of ['\\ud83d', 'Rex\\udc36', '\\udc36\\ud83d', 'a\\ud800b']) {
      const content = `{"name":"${name}","categoryId":1}`;
      const error = refused(
        await store.send('POST', '/pets', { headers: JSON_TYPE, content }),
        422,
        'validation_failed',
      );
      expect(placesOf(error)).to.deep.equal(['/name']);
      expect(error.message).to.include('surrogate');
    }
  });

  it('may be written with escapes of complete characters', async () => {
    const content = '{"name":"\\ud83d\\udc36 R\\u0065x","categoryId":1}';

    const answer = await store.send<PetBody>('POST', '/pets', { headers: JSON_TYPE, content });

    expect(answer.body.name).to.equal('🐶 Rex');
  });

  it('may have any other character', async () => {
    for (const name of [
      'Бобик',
      '犬',
      'ريكس',
      '👨‍👩‍👧',
      'O\u2019Malley',
      '"Rex" \\ </script>',
      "'; drop table pets; --",
      '\u200b\u202e',
      '\ufffd',
    ]) {
      expect(await nameOf(name)).to.equal(name.normalize('NFC'));
    }
  });

  it('is measured in code points, after normalisation', async () => {
    const description = async (text: string) => store.patch<CategoryBody>('/categories/1', { description: text });

    expect(await nameOf('🐶'.repeat(100))).to.equal('🐶'.repeat(100));
    expect(await nameOf('e\u0301'.repeat(100))).to.equal('é'.repeat(100));
    expect(await nameOf(`  ${'x'.repeat(100)}  `)).to.equal('x'.repeat(100));
    expect((await description('🐶'.repeat(1000))).status).to.equal(200);
    for (const name of ['🐶'.repeat(101), 'x'.repeat(101), 'é'.repeat(101)]) {
      const error = refused(await named(name), 422, 'validation_failed');
      expect(placesOf(error)).to.deep.equal(['/name']);
      expect(error.message).to.include('100');
    }
    expect(placesOf(refused(await description('🐶'.repeat(1001)), 422, 'validation_failed'))).to.deep.equal([
      '/description',
    ]);
  });

  it('is measured after NFC, also where that makes it longer', async () => {
    const letter = '\u0958';
    expect(letter.normalize('NFC')).to.have.lengthOf(2);

    expect((await named(letter.repeat(50))).status).to.equal(201);
    refused(await named(letter.repeat(51)), 422, 'validation_failed');
  });

  it('is normalised in a query as well, before it is compared', async () => {
    await named('Zoé');

    for (const prefix of ['%20zo%20', 'ZOE%CC%81', 'zo%C3%A9']) {
      expect((await store.get<PetBody[]>(`/pets?name=${prefix}`)).body, prefix).to.have.lengthOf(1);
    }
    for (const prefix of ['%00', 'a%0Ab', '%20', 'x'.repeat(101)]) {
      expect(placesOf(refused(await store.get(`/pets?name=${prefix}`), 400, 'invalid_parameter'))).to.deep.equal([
        'name',
      ]);
    }
  });

  it('is sent in UTF-8, with the Content-Length of its bytes', async () => {
    await named('Ärger 🐶 犬');

    const answer = await store.get('/store/pets/1');

    expect(answer.header('content-length')).to.equal(String(answer.bytes.length));
    expect(answer.header('content-type')).to.equal('application/json');
    expect(answer.text).to.include('Ärger 🐶 犬');
  });
});
