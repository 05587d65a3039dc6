import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { toHttpError } from '../../src/adapters/http/http-error.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { Clock } from '../../src/application/ports/clock.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { adapterModule } from '../../src/composition/adapter-module.ts';
import { OptionRefused } from '../../src/composition/options.ts';
import { CategoryNameTaken, DomainError } from '../../src/domain/refusals.ts';
import { failureOf } from '../support/promises.ts';
import { fixture, ONCE, petstores, statusOf } from './petstores.ts';

interface DocumentOfPets {
  readonly paths: Record<'/pets', { get: { responses: Record<'200', { headers: object }> } }>;
}

describe('Adapters of other teams', () => {
  const start = petstores();

  it('replace what they rebind', async () => {
    const [ours, theirs] = [await start(), await start({ adapters: [fixture('clock')] })];

    expect(await statusOf(`${ours.url}/pets/1`)).to.equal(404);
    expect(await statusOf(`${theirs.url}/pets/1`)).to.equal(410);
  });

  for (const [name, reason, adapterTimeout = 60_000] of [
    ['no-module', 'default export must be a module made by adapterModule'],
    ['broken', 'the licence has expired'],
    ['failing', 'the server does not answer'],
    ['half-a-storage', 'its Storage lacks close, check'],
    ['words-for-work', 'its UnitOfWork lacks write'],
    ['half-a-limiter', 'its RateLimiter lacks take, look, close'],
    ['half-a-secret', 'its Secrets lacks digest, same'],
    ['second-clock', 'Clock is bound twice: use rebind'],
    ['throwing-factory', 'the factory of its Clock threw: there is no time server'],
    ['asynchronous-factory', 'the factory of its Clock is asynchronous'],
    ['unbinding', 'it leaves nothing bound to Clock'],
    ['own-clock', 'it binds another Clock, which is not the port Clock of petstore-service'],
    ['no-port', 'it binds none of the ports (UnitOfWork, Reader, EventLog, Storage, Clock'],
    ['nothing-to-rebind', 'it rebinds acme.storage, to which nothing is bound'],
    ['unversioned', 'export adapterModule({ ports: 1 }, …)'],
    ['next-version', 'it was written for version 2 of the ports, and this service has version 1'],
    ['undefined-thrown', 'it cannot be loaded: undefined was thrown'],
    ['never-loaded', 'it did not load within 2 s', 2_000],
    ['never-imported', 'it did not load within 2 s', 2_000],
    ['never-open', 'its storage did not open within 2 s', 2_000],
    ['undefined-at-opening', 'its storage cannot be opened: undefined was thrown'],
    ['not-there', 'it cannot be loaded'],
  ] as const) {
    it(`prevent the start with one line if they are wrong: ${name}`, async () => {
      const error = await failureOf(start({ adapters: [fixture(name)], adapterTimeout }));

      expect(error).to.be.instanceOf(OptionRefused);
      const { message } = error as OptionRefused;
      expect(message).to.include('PETSTORE_ADAPTERS').and.to.include(name).and.to.include(reason);
      expect(message).to.not.match(/[\r\n]/);
    });
  }

  it('are checked in the same way if a program passes them', async () => {
    const half = new ContainerModule(({ rebind }) => {
      rebind(Storage).toConstantValue({ open: async () => undefined } as Storage);
    });
    const other = adapterModule({ ports: 2 }, ({ rebind }) => {
      rebind(Clock).toConstantValue({ now: () => 0 });
    });
    const noPort = new ContainerModule(({ bind }) => void bind('acme.clock').toConstantValue({ now: () => 0 }));
    const fit = new ContainerModule(({ rebind }) => void rebind(Clock).toConstantValue({ now: () => 0 }));

    for (const [modules, because] of [
      [[fit, half], 'modules[1] cannot be used; its Storage lacks close, check.'],
      [[other], 'modules[0] cannot be used; it was written for version 2 of the ports'],
      [[fit, noPort], 'modules[1] cannot be used; it binds none of the ports'],
      [[{}], 'modules[0] cannot be used; it must be a module made by adapterModule'],
    ] as [ContainerModule[], string][]) {
      const error = await failureOf(start({ modules }));

      expect(error).to.be.instanceOf(OptionRefused);
      expect((error as Error).message).to.include(because);
    }
  });

  it('must have every member of a unit of work', async () => {
    const names = await namesInScope();
    expect(names).to.have.length(40).and.to.include.members(['categories.isInUse', 'outbox.append']);

    for (const name of names) {
      const error = await failureOf(start({ modules: [workingWithout(name)] }));

      expect((error as Error).message).to.equal(
        `modules[0] cannot be used; the scope of its UnitOfWork lacks ${name}.`,
      );
    }
    expect(await statusOf(`${(await start({ modules: [workingWithout('nothing')] })).url}/pets`)).to.equal(200);
  });

  it('may have their own copy of the package', async () => {
    // A module that is imported by another address is another copy.
    const copyOf = (path: string) => import(`${path}?copy`) as Promise<Record<string, unknown>>;
    for (const name of ['clock', 'log', 'secrets', 'rate-limiter', 'reader', 'storage', 'unit-of-work']) {
      const path = `../../src/application/ports/${name}.ts`;
      const [ours, theirs] = [(await import(path)) as object, await copyOf(path)];
      expect(theirs, name).to.not.equal(ours);
      expect(Object.entries(theirs), name).to.deep.equal(Object.entries(ours));
    }
    const { CategoryNameTaken: TheirNameTaken } = await copyOf('../../src/domain/refusals.ts');
    expect(TheirNameTaken).to.not.equal(CategoryNameTaken);
    const error = new (TheirNameTaken as typeof CategoryNameTaken)('Dogs');
    expect(error).to.be.instanceOf(DomainError);
    expect(toHttpError(error)).to.include({ status: 409, code: 'category_name_taken' });
  });

  it('may verify callers beside those with API keys', async () => {
    const { url } = await start({ adapters: [fixture('custom-verifier')], auth: ['api-key'] });

    expect(await statusOf(`${url}/pets`)).to.equal(401);
    expect(await statusOf(`${url}/pets`, { authorization: 'Bearer sesame' })).to.equal(200);
    expect(await statusOf(`${url}/store/orders`, { authorization: 'Bearer sesame' })).to.equal(403);
  });

  it('may limit callers, which the document then declares', async () => {
    const { url } = await start({ adapters: [fixture('limiter')] });

    const paths = ((await (await fetch(`${url}/openapi.json`)).json()) as DocumentOfPets).paths;

    expect(paths['/pets'].get.responses).to.include.keys('200', '429');
    expect(paths['/pets'].get.responses['200'].headers).to.include.keys('RateLimit', 'RateLimit-Policy');
    const responses = [await fetch(`${url}/pets`, { headers: ONCE }), await fetch(`${url}/pets`, { headers: ONCE })];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 429]);
    expect(responses[1]?.headers.get('ratelimit-policy')).to.equal('"acme";q=2;w=60');
  });

  it('prevent the start if they verify callers while authentication is off', async () => {
    const error = await failureOf(start({ adapters: [fixture('custom-verifier')], auth: 'open' }));

    expect(error).to.be.instanceOf(OptionRefused);
    expect((error as OptionRefused).message)
      .to.include('PETSTORE_AUTH was open')
      .and.to.include('must be api-key');
  });

  it('prevent the start if there is no such package', async () => {
    const error = await failureOf(start({ adapters: ['acme-petstore-storage'] }));

    expect(error).to.be.instanceOf(OptionRefused);
    expect((error as OptionRefused).message).to.include('"acme-petstore-storage"');
  });
});

/** The names of all members of a scope, such as `categories.isInUse`. */
function namesInScope(): Promise<string[]> {
  return new InMemoryUnitOfWork(new InMemoryStore()).write(async (scope) =>
    Object.entries(scope).flatMap(([name, part]: [string, object]) =>
      typeof part === 'function'
        ? [name]
        : Object.getOwnPropertyNames(Object.getPrototypeOf(part))
            .filter((member) => member !== 'constructor')
            .map((member) => `${name}.${member}`),
    ),
  );
}

/** A storage in memory whose units of work lack one member. */
function workingWithout(name: string): ContainerModule {
  class LackingUnitOfWork extends InMemoryUnitOfWork {
    override write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
      return super.write((scope) => work(hiding(scope, name)));
    }
  }
  return new ContainerModule(({ rebind }) => {
    rebind(UnitOfWork)
      .toResolvedValue((store) => new LackingUnitOfWork(store), [InMemoryStore])
      .inSingletonScope();
  });
}

function hiding<Whole extends object>(whole: Whole, name: string): Whole {
  const [part, ...rest] = name.split('.');
  return new Proxy(whole, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (key === part) return rest.length > 0 ? hiding(member as object, rest.join('.')) : undefined;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
