import { expect } from 'chai';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { createBrowserPetstore } from '../../src/composition/create-browser-petstore.ts';
import { tellStory } from '../package/browser-story.ts';
import { expectStory } from '../package/expected-story.ts';

describe('A petstore for browsers', () => {
  it('serves the interface by fetch', async () => {
    expectStory(await tellStory(createBrowserPetstore));
  });

  it('has the demonstration catalogue, unless it is not wanted', async () => {
    const [full, empty] = await Promise.all([
      createBrowserPetstore({ logLevel: 'silent' }),
      createBrowserPetstore({ logLevel: 'silent', demo: false }),
    ]);

    const counts = await Promise.all(
      [full, empty].map(async ({ fetch }) => {
        const headers = { Prefer: 'return=total-count' };
        const page = await fetch(new Request('https://petstore.example/pets?limit=1', { headers }));
        return page.headers.get('x-total-count');
      }),
    );

    expect(counts).to.deep.equal(['100', '0']);
    await Promise.all([full.close(), empty.close()]);
  });

  it('is under the base path that it is given', async () => {
    const shop = await createBrowserPetstore({ logLevel: 'silent', basePath: '/v1' });

    const found = await shop.fetch(new Request('https://petstore.example/v1/categories?limit=1'));

    expect(found.status).to.equal(200);
    expect(found.headers.get('link')).to.include('</v1/categories?limit=1>; rel="first"');
    await shop.close();
  });

  it('can create API keys, although it asks for none', async () => {
    const shop = await createBrowserPetstore({ logLevel: 'silent', demo: false });

    const { secret } = await shop.container.get(KeyDesk).issue({ name: 'Window', scopes: ['store:read'] });

    expect(secret).to.match(/^petstore_1_[\w-]{43}$/);
    await shop.close();
  });

  it('does not start with an option that is not valid', async () => {
    const refused = createBrowserPetstore({ basePath: 'v1', limits: { body: Number.NaN } });

    const error = await refused.catch((reason: unknown) => reason);

    expect(String(error))
      .to.include('OptionRefused: basePath (PETSTORE_BASE_PATH) was "v1"')
      .and.include('limits.body (PETSTORE_MAX_BODY_BYTES) was NaN; it must be a number.');
  });
});
