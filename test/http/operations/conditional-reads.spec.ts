import { expect } from 'chai';
import { linksOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

const RESOURCES = [
  '/store/pets/1',
  '/store/pets/1?expand=category,inventory',
  '/pets/1',
  '/categories/1',
  '/store/orders/1',
  '/store/inventory/1',
  '/store/inventory/summary',
  '/pets',
  '/categories?sort=-name',
  '/store/orders?limit=1',
  '/store/inventory?status=available',
  '/store/inventory/1/movements',
];

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`A conditional read over HTTP (${storage})`, () => {
    const store = runningPetstore({ storage });

    beforeEach(async () => {
      await store.pet({ stock: 5 });
      await store.order({ petId: 1, quantity: 2 });
      await store.order({ petId: 1 });
    });

    async function tagOf(target: string): Promise<string> {
      return (await store.get(target)).header('etag') ?? expect.fail(`${target} has no tag`);
    }

    /** Which of the resources have another tag after something was done, and which another representation, links included. */
    async function changedBy(doing: () => Promise<unknown>) {
      const look = () => Promise.all(RESOURCES.map((target) => store.get(target)));
      const before = await look();
      await doing();
      const after = await look();
      const changed = (fact: (answer: (typeof before)[number]) => unknown) =>
        RESOURCES.filter(
          (_, i) => fact(before[i] as (typeof before)[number]) !== fact(after[i] as (typeof before)[number]),
        );
      return {
        tags: changed((answer) => answer.header('etag')),
        bodies: changed((answer) => `${answer.header('link')} ${answer.text}`),
      };
    }

    it('has a strong entity tag, which stays the same as long as nothing changes', async () => {
      for (const target of RESOURCES) {
        const tag = await tagOf(target);
        expect(tag, target).to.match(/^"[\x21\x23-\x7e]+"$/);
        expect(await tagOf(target)).to.equal(tag);
        expect((await store.head(target)).header('etag')).to.equal(tag);
      }
    });

    it('has a different tag for every representation', async () => {
      const tags = await Promise.all(RESOURCES.map(tagOf));

      expect(new Set(tags).size).to.equal(RESOURCES.length - 1);
      expect(tags[0], 'getPet and getStorePet show the same').to.equal(tags[2]);
    });

    it('changes its tag exactly when its representation changes', async () => {
      const deeds = [
        () => store.patch('/store/pets/1', { name: 'Tom' }),
        () => store.patch('/store/pets/1', { name: 'Tom' }),
        () => store.stock(1, 7),
        () => store.stock(1, 3),
        () => store.patch('/store/orders/1', { complete: true }),
        () => store.delete('/store/orders/2'),
        () => store.patch('/categories/1', { description: 'Loud.' }),
        () => store.order({ petId: 1 }),
        () => store.pet(),
      ];
      for (const doing of deeds) {
        const { tags, bodies } = await changedBy(doing);
        expect(tags).to.deep.equal(bodies);
      }
    });

    it('of a pet changes its tag when stock changes its status, and only then', async () => {
      expect((await changedBy(() => store.stock(1, 6))).tags).to.not.include('/store/pets/1');
      expect((await changedBy(() => store.stock(1, 3))).tags).to.include.members(['/store/pets/1', '/pets/1', '/pets']);
      expect((await changedBy(() => store.delete('/store/orders/1'))).tags).to.include('/store/pets/1');
    });

    it('is 304 without a body if the client has the representation', async () => {
      for (const target of RESOURCES) {
        const full = await store.get(target);
        const tag = full.header('etag') ?? '';
        for (const known of [tag, `"x", ${tag}`, `${tag},"x"`, `W/${tag}`, '*', ` ${tag} `, `"a,b",, ${tag},`]) {
          const answer = await store.get(target, { 'If-None-Match': known });
          expect(answer.status, `${target} ${known}`).to.equal(304);
          expect(answer.header('etag')).to.equal(tag);
          expect(answer.header('link')).to.equal(full.header('link'));
          expect((await store.head(target, { 'If-None-Match': known })).status).to.equal(304);
        }
      }
    });

    it('is 200 if the client has another one', async () => {
      for (const target of RESOURCES) {
        for (const known of ['"x"', 'W/"x"', '"x", "y"', '""']) {
          expect((await store.get(target, { 'If-None-Match': known })).status).to.equal(200);
        }
      }
    });

    it('reports an error whatever the client has', async () => {
      refused(await store.get('/store/pets/9', { 'If-None-Match': '*' }), 404, 'pet_not_found');
      refused(await store.get('/store/pets/1?x=1', { 'If-None-Match': '*' }), 400, 'unknown_parameter');
    });

    it('has a tag for every page of a list', async () => {
      const first = await store.get('/store/orders?limit=1');
      const second = await store.get(linksOf(first)['next'] ?? '');

      expect(second.header('etag')).to.not.equal(first.header('etag'));
      expect(
        (await store.get(linksOf(first)['next'] ?? '', { 'If-None-Match': second.header('etag') ?? '' })).status,
      ).to.equal(304);
    });

    it('is refused when the header holds no entity tags', async () => {
      for (const header of ['If-None-Match', 'If-Match']) {
        for (const value of ['x', '"x', 'x"', '"x" "y"', 'W/x', 'w/"x"', ',', '*, "x"', '"x", *', "'x'"]) {
          for (const target of ['/store/pets/1', '/pets']) {
            const error = refused(await store.get(target, { [header]: value }), 400, 'invalid_header');
            expect(error.details?.[0]?.parameter, value).to.equal(header);
          }
        }
      }
    });

    it('may require a representation with If-Match', async () => {
      const tag = await tagOf('/store/pets/1');

      expect((await store.get('/store/pets/1', { 'If-Match': tag })).status).to.equal(200);
      expect((await store.get('/store/pets/1', { 'If-Match': '*' })).status).to.equal(200);
      refused(await store.get('/store/pets/1', { 'If-Match': '"x"' }), 412, 'precondition_failed');
      refused(await store.get('/store/pets/1', { 'If-Match': `W/${tag}` }), 412, 'precondition_failed');
    });
  });
}
