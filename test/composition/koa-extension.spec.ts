import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { Readiness } from '../../src/adapters/http/handler/readiness.ts';
import { KoaExtension, type KoaMiddleware } from '../../src/adapters/http/koa/extension.ts';
import { Log } from '../../src/application/ports/log.ts';
import { OptionRefused } from '../../src/composition/options.ts';
import { failureOf, latch } from '../support/promises.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { fixture, ONCE, petstores, post } from './petstores.ts';

const SECRET = 'password of the database';

/** The messages of the errors that were logged as such. */
const errorsIn = ({ lines }: RecordingLog) =>
  lines.flatMap(({ level, fields: { error } }) => (level === 'error' && error instanceof Error ? [error.message] : []));

describe('Koa middleware of another team', () => {
  const start = petstores();
  const extending = (...extensions: Partial<KoaExtension>[]) =>
    new ContainerModule(({ bind }) => {
      for (const extension of extensions) bind(KoaExtension).toConstantValue(new KoaExtension(extension));
    });
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url, { headers: { ...ONCE, ...headers } });
  const errorOf = async (response: Response) =>
    (await response.json()) as { readonly code: string; readonly requestId: string; readonly message: string };

  it('and a route are added by configuration only, and see every request with its operation, status and duration', async () => {
    const { url } = await start({ adapters: [fixture('koa-extension')], basePath: '/v1' });

    for (const path of ['/v1/pets/7', '/docs', '/nowhere', '/acme/recent']) {
      expect((await get(url + path)).headers.get('x-served-by'), path).to.equal('acme');
    }

    const recent = (await (await get(`${url}/acme/recent`)).json()) as string[];
    expect(recent.map((line) => line.replace(/\d+ ms$/, 'ms'))).to.deep.equal([
      'GET /v1/pets/7 getPet anonymous 404 ms',
      'GET /docs /docs anonymous 200 ms',
      'GET /nowhere undefined anonymous 404 ms',
      'GET /acme/recent undefined anonymous 200 ms',
    ]);
    expect(recent.every((line) => Number(/(\d+) ms$/.exec(line)?.[1]) < 60_000)).to.equal(true);
  });

  it('runs in its order around the service, knows the route beforehand, and sees the response afterwards', async () => {
    const seen: unknown[] = [];
    const tracing =
      (name: string): KoaMiddleware =>
      async (ctx, next) => {
        seen.push([name, ctx.petstore.route, ctx.routerName, ctx._matchedRouteName, ctx.params]);
        await next();
        seen.push([name, ctx.status, ctx.headerSent]);
      };
    const { promise: complete, resolve } = Promise.withResolvers<void>();
    const after: KoaMiddleware = (ctx) => {
      seen.push(['after', ctx.status, ctx.res.writableFinished, ctx.petstore.requestId]);
      resolve();
    };
    const { url } = await start({
      modules: [extending({ before: [tracing('outer')] }, { before: [tracing('inner')], after: [after] })],
    });

    const response = await get(`${url}/pets/7`, { 'X-Request-Id': 'mine' });
    await complete;

    expect(response.status).to.equal(404);
    expect(seen).to.deep.equal([
      ['outer', 'getPet', 'getPet', 'getPet', { petId: '7' }],
      ['inner', 'getPet', 'getPet', 'getPet', { petId: '7' }],
      ['inner', 404, true],
      ['outer', 404, true],
      ['after', 404, true, 'mine'],
    ]);
  });

  it('changes nothing else about a response', async () => {
    const { url: plain } = await start();
    const { url: extended } = await start({ modules: [extending({ before: [(_ctx, next) => next()] })] });
    const shown = async (url: string, path: string, method: string) => {
      const response = await fetch(url + path, { method, headers: { ...ONCE, 'X-Request-Id': 'mine' } });
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      return [response.status, headers, await response.text()];
    };

    for (const path of ['/pets', '/pets/7', '/', '/openapi.json', '/nowhere', '/health/live']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
        expect(await shown(extended, path, method), `${method} ${path}`).to.deep.equal(
          await shown(plain, path, method),
        );
      }
    }
  });

  describe('that answers itself', () => {
    it('needs no next, and its response has the headers of every response', async () => {
      const closed: KoaMiddleware = (ctx) => {
        ctx.status = 418;
        ctx.body = { closed: true };
      };
      const { url } = await start({ modules: [extending({ before: [closed] })], corsOrigins: '*' });

      const response = await get(`${url}/pets`, { 'X-Request-Id': 'mine', Origin: 'https://shop.example' });

      expect(response.status).to.equal(418);
      expect(await response.json()).to.deep.equal({ closed: true });
      expect(Object.fromEntries(response.headers)).to.include({
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': 'mine',
        'access-control-allow-origin': '*',
      });
    });

    it('may send a stream, a status without a body, or write to the response of Node', async () => {
      const answers: Readonly<Record<string, KoaMiddleware>> = {
        '/stream': (ctx) => {
          ctx.body = Readable.from(['a', 'b']);
        },
        '/empty': (ctx) => {
          ctx.status = 204;
        },
        '/node': (ctx) => {
          ctx.respond = false;
          ctx.res.end('by hand');
        },
      };
      const routes: KoaMiddleware = (ctx, next) => (answers[ctx.path] ?? (() => next()))(ctx, next);
      const { url } = await start({ modules: [extending({ routes: [routes] })] });

      expect(await (await get(`${url}/stream`)).text()).to.equal('ab');
      expect((await get(`${url}/empty`)).status).to.equal(204);
      expect(await (await get(`${url}/node`)).text()).to.equal('by hand');
    });

    it('is 404 if it calls no next and sets nothing', async () => {
      const { url } = await start({ modules: [extending({ before: [() => undefined] })] });

      const response = await get(`${url}/pets`);

      expect(response.status).to.equal(404);
      expect(await errorOf(response)).to.include({
        code: 'not_found',
        message: 'No middleware answered this request.',
      });
    });

    it('does not disturb the service if it prepared a body and calls next after all', async () => {
      const undecided: KoaMiddleware = async (ctx, next) => {
        ctx.set('ETag', '"theirs"');
        ctx.body = 'prepared';
        await next();
      };
      const { url } = await start({ modules: [extending({ before: [undecided] })] });
      const { id } = (await (await post(`${url}/categories`, '{"name":"Dogs"}')).json()) as { id: number };

      const deleted = await fetch(`${url}/categories/${id}`, { method: 'DELETE', headers: ONCE });

      expect(deleted.status).to.equal(204);
      for (const name of ['etag', 'content-type', 'content-length']) expect(deleted.headers.get(name)).to.equal(null);
    });
  });

  describe('that fails', () => {
    const failing = (fail: KoaMiddleware) => {
      const log = new RecordingLog();
      const logging = new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
      return { log, modules: [logging, extending({ before: [fail] })] };
    };

    it('is a 500 without details, which are in the log', async () => {
      const { log, modules } = failing((ctx) => {
        ctx.set('X-Half', 'done');
        ctx.body = SECRET;
        throw Object.assign(new Error(SECRET), { status: 400 });
      });
      const { url } = await start({ modules });

      const response = await get(`${url}/pets`, { 'X-Request-Id': 'mine' });

      expect(response.status).to.equal(500);
      expect(response.headers.get('x-half')).to.equal(null);
      const body = await errorOf(response);
      expect(body).to.include({ code: 'internal_error', requestId: 'mine' });
      expect(JSON.stringify(body)).to.not.include(SECRET);
      expect(errorsIn(log)).to.deep.equal([SECRET]);
      expect(log.lines.at(-1)?.fields['requestId']).to.equal('mine');
      expect((await get(`${url}/health/live`)).status).to.equal(200);
    });

    it('is a clean 500 whatever it throws, and however often it calls next', async () => {
      for (const fail of [
        () => Promise.reject(new Error(SECRET)),
        () => {
          throw SECRET;
        },
        () => {
          throw undefined;
        },
      ] as KoaMiddleware[]) {
        const { url } = await start({ modules: failing(fail).modules });
        expect((await get(`${url}/pets`)).status).to.equal(500);
      }
      const twice = failing(async (_ctx, next) => {
        await next();
        await next();
      });
      const { url } = await start({ modules: twice.modules });

      expect((await get(`${url}/pets`)).status).to.equal(200);
      expect(errorsIn(twice.log)).to.deep.equal(['next() called multiple times']);
    });

    it('after the response leaves the response as it was, and is logged', async () => {
      const log = new RecordingLog();
      const logging = new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
      const late: KoaMiddleware = async (_ctx, next) => {
        await next();
        throw new Error('late');
      };
      const after: KoaMiddleware = () => {
        throw new Error('after');
      };
      const { url } = await start({ modules: [logging, extending({ before: [late], after: [after] })] });

      expect((await get(`${url}/pets`)).status).to.equal(200);
      expect((await get(`${url}/pets`)).status).to.equal(200);

      expect(errorsIn(log)).to.include.members(['late', 'after']);
    });

    it('on purpose, with ctx.throw, is answered as Koa does', async () => {
      const { log, modules } = failing((ctx) => ctx.throw(403, 'No entry.'));
      const { url } = await start({ modules });

      const response = await get(`${url}/pets`);

      expect([response.status, await response.text()]).to.deep.equal([403, 'No entry.']);
      expect(response.headers.get('x-request-id')).to.be.a('string');
      expect(errorsIn(log)).to.deep.equal([]);
      const closed = await start({ modules: failing((ctx) => ctx.throw(503, SECRET)).modules });
      const unavailable = await get(`${closed.url}/pets`);
      expect([unavailable.status, await unavailable.text()]).to.deep.equal([503, 'Service Unavailable']);
    });

    it('on purpose keeps the headers of the error, and none that were set before', async () => {
      const { modules } = failing((ctx) => {
        ctx.set('Cache-Control', 'public, max-age=3600');
        ctx.throw(401, 'Who?', { headers: { 'WWW-Authenticate': 'Basic' } });
      });
      const { url } = await start({ modules });

      const { status, headers } = await get(`${url}/pets`);

      expect([status, headers.get('www-authenticate'), headers.get('cache-control')]).to.deep.equal([
        401,
        'Basic',
        null,
      ]);
    });

    it('with a status that is no error is a 500', async () => {
      for (const status of [100, 204, 302]) {
        const { modules } = failing(() => {
          throw Object.assign(new Error(SECRET), { status, expose: true });
        });
        const { url } = await start({ modules });
        expect((await get(`${url}/pets`)).status, String(status)).to.equal(500);
      }
    });

    it('because its body has no JSON is a 500 in the form of the service, and is logged', async () => {
      const { log, modules } = failing((ctx) => {
        ctx.set('X-Half', 'done');
        ctx.body = { amount: 1n };
      });
      const { url } = await start({ modules });

      const response = await get(`${url}/pets`, { 'X-Request-Id': 'mine' });

      expect([response.status, response.headers.get('x-half')]).to.deep.equal([500, null]);
      expect(await errorOf(response)).to.include({ code: 'internal_error', requestId: 'mine' });
      expect(errorsIn(log)).to.have.length(1);
      expect(log.lines.at(-1)?.fields['requestId']).to.equal('mine');
    });

    it('because its stream breaks off ends the connection, and is logged', async () => {
      const { log, modules } = failing((ctx) => {
        ctx.body = new Readable({
          read: (): never => {
            throw new Error('broken');
          },
        });
      });
      const { url } = await start({ modules });

      expect(await failureOf(get(`${url}/pets`))).to.be.instanceOf(TypeError);

      expect(errorsIn(log)).to.deep.equal(['broken']);
    });

    it('by calling next after it has begun to respond is logged, and the operation is not executed', async () => {
      const cases: Readonly<Record<string, KoaMiddleware>> = {
        ended: (ctx, next) => {
          ctx.res.end('theirs');
          return next();
        },
        begun: (ctx, next) => {
          ctx.res.flushHeaders();
          return next();
        },
      };
      for (const [name, mistaken] of Object.entries(cases)) {
        const { log, modules } = failing((ctx, next) => (ctx.method === 'POST' ? mistaken(ctx, next) : next()));
        const { url } = await start({ modules });

        await post(`${url}/categories`, '{"name":"Dogs"}')
          .then((response) => response.text())
          .catch(() => undefined);

        expect(await (await get(`${url}/categories`)).json(), name).to.deep.equal([]);
        expect(errorsIn(log), name).to.deep.equal(['Middleware called next after a response had begun.']);
      }
    });

    it('by calling next late, without a promise, does not execute the operation after its 404', async () => {
      const [held, called] = [latch(), latch()];
      const { modules } = failing((ctx, next) => {
        if (ctx.method !== 'DELETE') return next();
        const later = async () => {
          await held.opened;
          await next();
          called.open();
        };
        void later();
        return undefined;
      });
      const { url } = await start({ modules });
      const { id } = (await (await post(`${url}/categories`, '{"name":"Dogs"}')).json()) as { id: number };

      const { status } = await fetch(`${url}/categories/${id}`, { method: 'DELETE', headers: ONCE });
      held.open();
      await called.opened;

      expect(status).to.equal(404);
      expect((await get(`${url}/categories/${id}`)).status).to.equal(200);
    });

    it('before the start, if it is no function, in one line', async () => {
      const broken = new ContainerModule(({ bind }) => {
        bind(KoaExtension).toConstantValue(new KoaExtension({ before: ['logger'] as never }));
      });

      const error = await failureOf(start({ modules: [broken] }));

      expect(error).to.be.instanceOf(OptionRefused);
      expect((error as Error).message).to.include('must be lists of middleware functions');
    });

    it('in the middle of a response that it wrote itself ends the connection', async () => {
      const { modules } = failing((ctx) => {
        ctx.res.write('half');
        throw new Error(SECRET);
      });
      const { url } = await start({ modules });

      const failure = await failureOf(get(`${url}/pets`).then((response) => response.text()));

      expect(failure).to.be.instanceOf(TypeError);
    });

    it('because it has read the body is a 500, and does not hang', async () => {
      const greedy = failing(async (ctx, next) => {
        ctx.req.resume();
        if (ctx.method === 'POST') await once(ctx.req, 'end');
        await next();
      });
      const { url } = await start({ modules: greedy.modules });

      expect((await post(`${url}/categories`, '{"name":"Dogs"}')).status).to.equal(500);
      expect(errorsIn(greedy.log)).to.deep.equal(['The body was read before the operation, by middleware.']);
    });
  });

  describe('does not weaken the service', () => {
    const answering: KoaMiddleware = (ctx) => {
      ctx.body = 'theirs';
    };

    it('which checks the Host first', async () => {
      const { url } = await start({ modules: [extending({ before: [answering], routes: [answering] })] });
      const socket = await RawSocket.connect(url);

      const answer = await socket.send('GET /acme HTTP/1.1\r\nHost: evil.example\r\n\r\n').answer();

      expect(answer?.status).to.equal(403);
      expect(String(answer?.body)).to.include('forbidden_host').and.to.not.include('theirs');
      await socket.close();
    });

    it('which counts every request against the quota first', async () => {
      const { url } = await start({
        modules: [extending({ before: [answering] })],
        rateLimit: true,
        ratePerMinute: 2,
        rateBurst: 2,
      });

      const responses = [await get(`${url}/acme`), await get(`${url}/acme`), await get(`${url}/acme`)];

      expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 429]);
      for (const { headers } of responses) expect(headers.get('ratelimit')).to.be.a('string');
    });

    it('which refuses what is not HTTP, or too large, before that', async () => {
      const { url } = await start({ modules: [extending({ before: [answering] })], limits: { url: 300 } });
      const socket = await RawSocket.connect(url);

      expect((await get(`${url}/${'x'.repeat(400)}`)).status).to.equal(414);
      expect((await socket.send('NONSENSE\r\n\r\n').answer())?.status).to.equal(400);
      await socket.close();
    });

    it('which answers a fault in a body that arrives while middleware waits', async () => {
      const [held, entered] = [latch(), latch()];
      const slow: KoaMiddleware = async (_ctx, next) => {
        entered.open();
        await held.opened;
        await next();
      };
      const { url } = await start({ modules: [extending({ before: [slow] })] });
      const socket = await RawSocket.connect(url);
      socket.send(
        'POST /categories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      await entered.opened;
      socket.send('nonsense\r\n');
      // The response shows that the service has read what was sent before.
      for (let turn = 0; turn < 5; turn++) await get(`${url}/health/live`);

      held.open();

      expect((await socket.answer('POST'))?.status).to.equal(400);
      await socket.close();
    });

    it('which does nothing for a client that has left while middleware waits', async () => {
      const [held, entered, left] = [latch(), latch(), latch()];
      const slow: KoaMiddleware = async (ctx, next) => {
        if (ctx.method !== 'POST') return next();
        ctx.res.once('close', () => left.open());
        entered.open();
        await held.opened;
        return next();
      };
      const { url } = await start({ modules: [extending({ before: [slow] })] });
      const socket = await RawSocket.connect(url);
      socket.send(
        'POST /categories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name"',
      );
      await entered.opened;
      await socket.reset();
      await left.opened;

      held.open();

      expect(await (await get(`${url}/categories`)).json()).to.deep.equal([]);
      expect(await (await get(`${url}/metrics`)).text()).to.match(/^petstore_http_requests_in_flight 0$/m);
    });

    it('whose routes it can require a scope for', async () => {
      const { url } = await start({ adapters: [fixture('koa-extension')], auth: ['api-key'] });

      const response = await get(`${url}/acme/recent`);

      expect(response.status).to.equal(401);
      expect((await errorOf(response)).code).to.equal('unauthenticated');
    });

    it('whose refusal while it shuts down is no error of next', async () => {
      const caught: unknown[] = [];
      const careful: KoaMiddleware = (_ctx, next) => next().catch((error: unknown) => void caught.push(error));
      const { url, container } = await start({ modules: [extending({ before: [careful], routes: [answering] })] });
      container.get(Readiness).close();

      const { status } = await get(`${url}/acme`);

      expect([status, caught]).to.deep.equal([503, []]);
    });

    it('whose part of the context it cannot replace', async () => {
      const replacing: KoaMiddleware = (ctx, next) => {
        Object.assign(ctx, { petstore: undefined });
        return next();
      };
      const { promise: complete, resolve } = Promise.withResolvers<unknown>();
      const after: KoaMiddleware = (ctx) => resolve(ctx.petstore.route);
      const { url } = await start({ modules: [extending({ before: [replacing], after: [after] })] });

      expect((await get(`${url}/pets`)).status).to.equal(500);

      expect(await complete).to.equal('listPets');
    });

    it('whose operations it cannot replace by a route', async () => {
      const { url } = await start({ modules: [extending({ routes: [answering] })] });

      expect((await get(`${url}/pets/7`)).status).to.equal(404);
      expect(await (await get(`${url}/acme`)).text()).to.equal('theirs');
    });

    it('which sheds load while it is slow, and reports on itself meanwhile', async () => {
      const [held, entered] = [latch(), latch()];
      let inside = 0;
      const slow: KoaMiddleware = async (_ctx, next) => {
        inside += 1;
        if (inside === 2) entered.open();
        await held.opened;
        await next();
      };
      const { url } = await start({ modules: [extending({ before: [slow] })], limits: { requestsInFlight: 2 } });
      const waiting = [get(`${url}/pets`), get(`${url}/pets`)];
      await entered.opened;

      for (const path of ['/pets', '/docs', '/nowhere']) {
        const refused = await get(url + path);
        expect([refused.status, (await errorOf(refused)).code], path).to.deep.equal([503, 'unavailable']);
        expect(refused.headers.get('retry-after')).to.be.a('string');
      }
      expect((await get(`${url}/health/live`)).status).to.equal(200);
      expect((await get(`${url}/health/ready`)).status).to.equal(200);
      expect(await (await get(`${url}/metrics`)).text())
        .to.match(/^petstore_http_requests_in_flight 2$/m)
        .and.to.match(/^petstore_http_requests_shed_total 3$/m);

      held.open();
      expect((await Promise.all(waiting)).map(({ status }) => status)).to.deep.equal([200, 200]);
      expect((await get(`${url}/pets`)).status).to.equal(200);
      expect(inside).to.equal(3);
    });

    it('which serves an operation although it is the only one that may be in flight', async () => {
      const { url } = await start({
        modules: [extending({ before: [(_ctx, next) => next()] })],
        limits: { requestsInFlight: 1 },
      });

      for (let i = 0; i < 3; i++)
        expect((await post(`${url}/categories`, `{"name":"Dogs ${i}"}`)).status).to.equal(201);
    });
  });
});
