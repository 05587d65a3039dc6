import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { OptionRefused } from '../../src/composition/options.ts';
import { failureOf } from '../support/promises.ts';
import { petstores, statusOf } from './petstores.ts';

/** A module of another team, by its path from the working directory. */
const acme = (name: string) =>
  `./${relative(process.cwd(), fileURLToPath(new URL(`acme/${name}.ts`, import.meta.url)))}`;

describe('Adapters of other teams', () => {
  const start = petstores();

  it('take the place of what they rebind', async () => {
    const [ours, theirs] = [await start(), await start({ adapters: [acme('clock')] })];

    expect(await statusOf(`${ours.url}/pets/1`)).to.equal(404);
    expect(await statusOf(`${theirs.url}/pets/1`)).to.equal(410);
  });

  for (const [name, said] of [
    ['no-module', 'default export must be a ContainerModule'],
    ['broken', 'the licence has expired'],
    ['failing', 'the server does not answer'],
    ['half-a-storage', 'what it binds as Storage lacks close, check'],
    ['words-for-work', 'what it binds as UnitOfWork lacks write'],
    ['half-a-limiter', 'what it binds as RateLimiter lacks take, look, close'],
    ['half-a-secret', 'what it binds as Secrets lacks digest, same'],
    ['second-clock', 'Clock cannot be made'],
    ['not-there', 'it cannot be loaded'],
  ] as const) {
    it(`stop the start in one line that says what is wrong: ${name}`, async () => {
      const error = await failureOf(start({ adapters: [acme(name)] }));

      expect(error).to.be.instanceOf(OptionRefused);
      const { message } = error as OptionRefused;
      expect(message).to.include('PETSTORE_ADAPTERS').and.to.include(name).and.to.include(said);
      expect(message).to.not.match(/[\r\n]/);
    });
  }

  it('know callers beside those of the keys', async () => {
    const { url } = await start({ adapters: [acme('doorman')], auth: ['api-key'] });

    expect(await statusOf(`${url}/pets`)).to.equal(401);
    expect(await statusOf(`${url}/pets`, { authorization: 'Bearer sesame' })).to.equal(200);
    expect(await statusOf(`${url}/store/orders`, { authorization: 'Bearer sesame' })).to.equal(403);
  });

  it('stop the start if they know callers, and nobody is to be asked', async () => {
    const error = await failureOf(start({ adapters: [acme('doorman')], auth: 'open' }));

    expect(error).to.be.instanceOf(OptionRefused);
    expect((error as OptionRefused).message)
      .to.include('PETSTORE_AUTH was open')
      .and.to.include('must be api-key');
  });

  it('stop the start if there is no such package', async () => {
    const error = await failureOf(start({ adapters: ['acme-petstore-storage'] }));

    expect(error).to.be.instanceOf(OptionRefused);
    expect((error as OptionRefused).message).to.include('"acme-petstore-storage"');
  });
});
