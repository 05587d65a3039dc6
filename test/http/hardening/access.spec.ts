import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { KeyDesk } from '../../../src/application/key-desk.ts';
import { SCOPES, type Scope } from '../../../src/domain/scope.ts';
import type { Answer, Headers } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { OPENING, type RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary.ts';

const HOUR = 3_600_000;
const ISSUER = 'https://login.example';
const AUDIENCE = 'petstore';

/** The credentials of a caller. */
type Kind = 'malformed' | 'unknown' | 'expired' | 'revoked' | 'too narrow' | 'right' | 'admin';

/** A kind of authentication: a credential for each scope, and how it is sent. */
interface Way {
  readonly kinds: readonly Kind[];
  credential(kind: Kind, scope: Scope, further?: readonly Scope[]): Promise<string>;
  headers(credential: string): Headers;
}

/** Every scope that does not cover the given one. */
const others = (scope: Scope) => SCOPES.filter((other) => other !== scope && other !== 'admin');
const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

function keysOf(store: RunningPetstore, headers: Way['headers']): Way {
  const desk = () => store.petstore.container.get(KeyDesk);
  const issue = async (scopes: readonly Scope[], expiresAt?: number) =>
    desk().issue({ name: 'a key', scopes, expiresAt });
  return {
    kinds: ['malformed', 'unknown', 'expired', 'revoked', 'too narrow', 'right', 'admin'],
    headers,
    async credential(kind, scope, further = []) {
      switch (kind) {
        case 'malformed':
          return 'petstore_1';
        case 'unknown':
          return (await issue([scope])).secret.replace(/_\d+_/, '_999_');
        case 'expired': {
          const { key, secret } = await issue([scope]);
          await desk().expireAt(key.id, OPENING - 1);
          return secret;
        }
        case 'revoked': {
          const { key, secret } = await issue([scope]);
          await desk().revoke(key.id);
          return secret;
        }
        case 'too narrow':
          return (await issue(others(scope))).secret;
        case 'right':
          return (await issue([scope, ...further])).secret;
        case 'admin':
          return (await issue(['admin'])).secret;
      }
    },
  };
}

/** A provider whose keys are in a file. A token cannot be revoked: it expires. */
class Provider {
  #folder = '';
  #ours!: Parameters<SignJWT['sign']>[0];
  #strangers!: Parameters<SignJWT['sign']>[0];

  get keyFile(): string {
    return join(this.#folder, 'keys.json');
  }

  async open(): Promise<void> {
    this.#folder = await temporaryFolder();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    this.#ours = privateKey;
    this.#strangers = (await generateKeyPair('ES256')).privateKey;
    await writeFile(this.keyFile, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] }));
  }

  close(): Promise<void> {
    return removeFolder(this.#folder);
  }

  readonly way: Way = {
    kinds: ['malformed', 'unknown', 'expired', 'too narrow', 'right', 'admin'],
    headers: bearer,
    credential: async (kind, scope, further = []) => {
      const scopes = kind === 'admin' ? ['admin'] : kind === 'too narrow' ? others(scope) : [scope, ...further];
      const ends = kind === 'expired' ? OPENING - HOUR : OPENING + HOUR;
      const token = await new SignJWT({ scope: scopes.join(' ') })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject('somebody')
        .setIssuedAt(new Date(OPENING - 2 * HOUR))
        .setExpirationTime(new Date(ends))
        .sign(kind === 'unknown' ? this.#strangers : this.#ours);
      return kind === 'malformed' ? token.split('.').slice(0, 2).join('.') : token;
    },
  };
}

describe('Access control over HTTP', () => {
  const provider = new Provider();
  before(() => provider.open());
  after(() => provider.close());

  for (const [name, auth, wayOf] of [
    ['with a key as a bearer token', ['api-key'], (store) => keysOf(store, bearer)],
    ['with a key in X-API-Key', ['api-key'], (store) => keysOf(store, (key) => ({ 'X-API-Key': key }))],
    ['with a token of a provider', ['jwt'], () => provider.way],
    ['with a key, where tokens are taken too', ['api-key', 'jwt'], (store) => keysOf(store, bearer)],
    ['with a token, where keys are taken too', ['api-key', 'jwt'], () => provider.way],
  ] as const satisfies [string, readonly ('api-key' | 'jwt')[], (store: RunningPetstore) => Way][]) {
    describe(name, () => {
      const provided = { jwtIssuer: ISSUER, jwtAudience: AUDIENCE };
      const store = runningPetstore(() => ({ auth, ...provided, jwtKeys: provider.keyFile, rateLimit: false }));

      /** Every operation of the document, with its documented scope, and the path of a missing resource. */
      const operations = () =>
        Object.entries(store.document.paths).flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => ({
            method: method.toUpperCase(),
            path: path.replace(/\{\w+\}/g, '999'),
            there: path.replace(/\{\w+\}/g, '1'),
            scope: operation['x-required-scope'] as Scope,
            further: (operation['x-further-scopes'] ?? []) as Scope[],
            operationId: operation.operationId,
          })),
        );

      it('every operation requires its scope', () => {
        expect(operations()).to.have.length.above(20);
        for (const { scope, operationId } of operations()) expect(SCOPES, operationId).to.include(scope);
      });

      it('without a credential, no operation is executed', async () => {
        for (const { method, path, operationId } of operations()) {
          const answer = await store.send(method, path);
          expect(answer.header('www-authenticate'), operationId).to.equal(
            method === 'HEAD' ? undefined : 'Bearer realm="petstore"',
          );
          refused(answer, 401, 'unauthenticated');
        }
      });

      it('with each kind of credential, every operation is executed or refused according to its scope', async () => {
        const way = wayOf(store);
        for (const { method, path, scope, further, operationId } of operations()) {
          for (const kind of way.kinds) {
            const credential = await way.credential(kind, scope, further);
            const answer = await store.send(method, path, { headers: way.headers(credential) });
            const context = `${operationId}, ${kind}: ${answer.text}`;
            if (kind === 'right' || kind === 'admin') expect(answer.status, context).to.not.be.oneOf([401, 403]);
            else if (kind === 'too narrow') {
              expect(refused(answer, 403, 'insufficient_scope').message, context).to.include(scope);
              expect(answer.header('www-authenticate')).to.include(`scope="${scope}"`);
            } else {
              refused(answer, 401, 'unauthenticated');
              expect(answer.header('www-authenticate'), context).to.include('error="invalid_token"');
            }
          }
        }
      });

      it('an operation with further scopes requires each of them', async () => {
        const way = wayOf(store);
        const demanding = operations().filter(({ further }) => further.length > 0);
        expect(demanding.map(({ operationId }) => operationId)).to.deep.equal(['createWebhook', 'updateWebhook']);

        for (const { method, path, scope } of demanding) {
          const answer = await store.send(method, path, { headers: way.headers(await way.credential('right', scope)) });
          expect(refused(answer, 403, 'insufficient_scope').message).to.include('events:read');
        }
      });

      it('a refusal reveals nothing about what exists', async () => {
        const way = wayOf(store);
        const admin = way.headers(await way.credential('admin', 'admin'));
        await store.post('/categories', { name: 'Dogs' }, admin);
        await store.post('/pets', { name: 'Rex', categoryId: 1 }, admin);
        await store.post('/store/orders', { petId: 1 }, admin);

        for (const { method, path, there, scope, operationId } of operations()) {
          const narrow = way.headers(await way.credential('too narrow', scope));
          for (const headers of [{}, narrow]) {
            const both = await Promise.all([there, path].map((target) => store.send(method, target, { headers })));
            const [here, nowhere] = both.map(withoutItsOwn);
            expect(here, operationId).to.deep.equal(nowhere);
          }
        }
      });
    });
  }

  describe('with any kind of credential, a caller', () => {
    const store = runningPetstore(() => ({ auth: ['api-key'], rateLimit: false }));

    const key = async (...scopes: Scope[]) =>
      (await store.petstore.container.get(KeyDesk).issue({ name: 'a key', scopes })).secret;

    it('reads the document, the pages about errors and the health of the service', async () => {
      for (const path of [
        '/openapi.json',
        '/openapi.yaml',
        '/asyncapi.json',
        '/docs',
        '/errors/rate_limited',
        '/health/live',
        '/health/ready',
      ]) {
        for (const headers of [{}, bearer('nonsense'), { Authorization: 'Basic eDp5' }]) {
          expect((await store.get(path, headers)).status, path).to.equal(200);
        }
      }
    });

    it('reads the metrics only with the scope to read the store', async () => {
      refused(await store.get('/metrics'), 401, 'unauthenticated');
      refused(await store.get('/metrics', bearer(await key('pets:read'))), 403, 'insufficient_scope');
      expect((await store.get('/metrics', bearer(await key('store:read')))).status).to.equal(200);
    });

    it('reads the stock of a pet along with it only with the scope to read the store', async () => {
      const expanded = async (expand: string, ...scopes: Scope[]) =>
        store.get(`/store/pets/1?expand=${expand}`, bearer(await key(...scopes)));
      const admin = bearer(await key('admin'));
      await store.post('/categories', { name: 'Dogs' }, admin);
      await store.post('/pets', { name: 'Rex', categoryId: 1 }, admin);

      for (const expand of ['inventory', 'category,inventory', 'category&expand=inventory']) {
        const answer = await expanded(expand, 'pets:read');
        expect(refused(answer, 403, 'insufficient_scope').message).to.include('store:read');
        expect(answer.header('www-authenticate')).to.include('scope="store:read"');
      }
      refused(await expanded('inventory', 'store:read'), 403, 'insufficient_scope');
      refused(
        await store.get('/store/pets/9?expand=inventory', bearer(await key('pets:read'))),
        403,
        'insufficient_scope',
      );
      expect((await expanded('category', 'pets:read')).status).to.equal(200);
      expect((await expanded('inventory', 'pets:read', 'store:read')).body).to.have.nested.property(
        'inventory.quantity',
      );
    });

    it('finds in the document which value of a parameter needs which scope', () => {
      const { parameters } = store.document.paths['/store/pets/{petId}']?.['get'] ?? expect.fail('There is none.');
      const expand = parameters.find((parameter) => 'name' in parameter && parameter.name === 'expand');

      expect(expand).to.deep.include({ 'x-required-scope': { inventory: 'store:read' } });
      expect(expand).to.have.property('description').that.includes('`inventory` also needs the scope `store:read`');
    });

    it('is counted separately in the metrics of deprecated calls', async () => {
      const reader = await key('pets:read', 'store:read');
      await store.get('/pets/1', bearer(reader));
      await store.get('/pets/1', bearer(reader));
      await store.get('/pets/1');

      const { text } = await store.get('/metrics', bearer(reader));

      expect(text).to.include('petstore_deprecated_calls_total{operation="getPet",caller="key:1"} 2');
      expect(text).to.include('petstore_deprecated_calls_total{operation="getPet",caller="unknown"} 1');
    });

    it('must send the credential once, and well-formed', async () => {
      const good = await key('admin');
      const ways: Headers[] = [
        { Authorization: `Bearer ${good}`, 'X-API-Key': good },
        { Authorization: good },
        { Authorization: `Basic ${good}` },
        { Authorization: `Bearer ${good} ${good}` },
        { Authorization: 'Bearer' },
        { Authorization: '' },
        { 'X-API-Key': '' },
        { 'X-API-Key': `${good} x` },
        { 'X-API-Key': [good, good] },
        { Authorization: `Bearer ${'x'.repeat(9000)}` },
      ];

      for (const headers of ways) refused(await store.get('/pets', headers), 401, 'unauthenticated');
      expect((await store.get('/pets', { Authorization: `bearer ${good}` })).status).to.equal(200);
    });

    it('cannot send the credential in the query', async () => {
      refused(await store.get(`/pets?api_key=${await key('admin')}`), 401, 'unauthenticated');
    });

    it('loses access at once when the key is revoked or expires', async () => {
      const desk = store.petstore.container.get(KeyDesk);
      const revoked = await desk.issue({ name: 'one', scopes: ['admin'] });
      const ending = await desk.issue({ name: 'two', scopes: ['admin'], expiresAt: OPENING + HOUR });
      for (const { secret } of [revoked, ending])
        expect((await store.get('/pets', bearer(secret))).status).to.equal(200);

      await desk.revoke(revoked.key.id);
      refused(await store.get('/pets', bearer(revoked.secret)), 401, 'unauthenticated');
      store.clock.set(OPENING + HOUR);
      refused(await store.get('/pets', bearer(ending.secret)), 401, 'unauthenticated');
    });

    it('has idempotency keys of its own', async () => {
      const [one, two] = [await key('admin'), await key('admin')];
      const open = (credential: string, name: string) =>
        store.post('/categories', { name }, { ...bearer(credential), 'Idempotency-Key': 'the-same' });

      expect((await open(one, 'Dogs')).status).to.equal(201);
      expect((await open(two, 'Cats')).status).to.equal(201);
      expect((await open(one, 'Dogs')).header('idempotent-replayed')).to.equal('true');
      refused(await open(two, 'Dogs'), 422, 'idempotency_key_reused');
      refused(
        await store.post('/categories', { name: 'Dogs' }, { 'Idempotency-Key': 'the-same' }),
        401,
        'unauthenticated',
      );
    });

    it('finds the schemes and the scopes in the document', async () => {
      const { body } = await store.get<{
        components: { securitySchemes: object };
        paths: Record<string, Record<string, { security: object[] }>>;
      }>('/openapi.json');

      expect(Object.keys(body.components.securitySchemes)).to.have.members(['ApiKey', 'Bearer']);
      for (const methods of Object.values(body.paths)) {
        for (const { security } of Object.values(methods))
          expect(security).to.deep.equal([{ ApiKey: [] }, { Bearer: [] }]);
      }
    });
  });
});

/** The response without what differs for each request. */
function withoutItsOwn({ status, rawHeaders, text }: Answer) {
  const headers = Object.fromEntries(
    Array.from({ length: rawHeaders.length / 2 }, (_, i) => [rawHeaders[2 * i], rawHeaders[2 * i + 1]]),
  );
  const { Date: _date, 'X-Request-Id': id, Link: _successor, 'Content-Length': _length, ...lasting } = headers;
  return { status, lasting, text: text.replaceAll(String(id), '') };
}
