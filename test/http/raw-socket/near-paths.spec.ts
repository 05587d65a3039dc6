import { expect } from 'chai';
import { KnownPaths } from '../../../src/adapters/http/handler/known-paths.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('The 404 of a path that is similar to another', () => {
  const store = runningPetstore();

  const NEAR: Readonly<Record<string, string>> = {
    '/docs/': '/docs',
    '/Docs': '/docs',
    '//docs': '/docs',
    '/doc': '/docs',
    '/error': '/errors',
    '/errors/': '/errors',
    '/health': '/health/live or /health/ready',
    '/health/': '/health/live or /health/ready',
    '/health/alive': '/health/live',
    '/openapi': '/openapi.json or /openapi.yaml',
    '/openapi.yml': '/openapi.yaml',
    '/Metrics': '/metrics',
    '/pet': '/pets',
    '/pets/': '/pets',
    '/PETS': '/pets',
    '/pets/7/': '/pets/{petId}',
    '/store/pet/7': '/store/pets/{petId}',
    '/store/order': '/store/orders',
    '/store/inventory/7/movement': '/store/inventory/{petId}/movements',
  };

  for (const [path, near] of Object.entries(NEAR)) {
    it(`names ${near} for ${path}`, async () => {
      const { message } = refused(await store.get(path), 404, 'not_found');

      expect(message).to.equal(`The path ${path} does not exist. Did you mean ${near}?`);
    });
  }

  it('names three paths at most, the shortest first', async () => {
    const { message } = refused(await store.get('/store'), 404, 'not_found');

    const named = /Did you mean (.*)\?$/.exec(message)?.[1]?.split(' or ') ?? [];
    expect(named).to.have.length(3);
    for (const path of named) expect(path).to.match(/^\/store\/[a-z/]+$/);
  });

  it('names none if none is similar', async () => {
    for (const path of ['/x', '/wp-login.php', '/pets/1/2', '/.env', '/cgi-bin/test', '/docs/scalar.map']) {
      const { message } = refused(await store.get(path), 404, 'not_found');
      expect(message).to.equal(`The path ${path} does not exist.`);
    }
  });
});

describe('The 404 of a path under a base path', () => {
  const store = runningPetstore({ basePath: '/v1', unstable: false });

  it('names the path with the base path, or the page without it', async () => {
    const near = async (path: string) =>
      /Did you mean (.*)\?$/.exec(refused(await store.get(path), 404, 'not_found').message)?.[1];

    expect(await near('/pets')).to.equal('/v1/pets');
    expect(await near('/Store/Orders/')).to.equal('/v1/store/orders');
    expect(await near('/v1/pet')).to.equal('/v1/pets');
    expect(await near('/v1/docs')).to.equal('/docs');
    expect(await near('/v1/store/inventory/7/movement'), 'not served here').to.equal(undefined);
  });
});

describe('The search for similar paths', () => {
  const known = new KnownPaths(
    Array.from({ length: 100 }, (_, i) => `/v1/store/things-${i}/{thingId}/parts`),
    '/v1',
  );

  it('costs little, whatever the path', () => {
    const hostile = [
      `/${'a'.repeat(8000)}`,
      '/'.repeat(100),
      `/v1/store/${'{'.repeat(80)}`,
      `/v1/store/things-9/${'x'.repeat(70)}/part`,
      '/\u{1F600}'.repeat(30),
    ];
    const started = process.cpuUsage();

    for (let i = 0; i < 200; i++) for (const path of hostile) known.near(path);

    const { user } = process.cpuUsage(started);
    // 1,000 searches among 100 paths: 0.2 ms each would be plenty.
    expect(user / 1000).to.be.below(2_000);
  });

  it('skips long paths', () => {
    expect(known.near(`/v1/store/things-9/${'7'.repeat(60)}/part`)).to.deep.equal([
      '/v1/store/things-9/{thingId}/parts',
    ]);
    expect(known.near(`/v1/store/things-9/${'7'.repeat(90)}/part`)).to.deep.equal([]);
  });
});
