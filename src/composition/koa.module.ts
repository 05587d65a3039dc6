import { ContainerModule } from 'inversify';
import { scalarEndpoint } from '../adapters/http/endpoints/reference-pages.ts';
import { HttpAccess } from '../adapters/http/handler/http-access.ts';
import { LoadShedder } from '../adapters/http/handler/load-shedder.ts';
import { Readiness } from '../adapters/http/handler/readiness.ts';
import { RequestHandler } from '../adapters/http/handler/request-handler.ts';
import { KoaExtension } from '../adapters/http/koa/extension.ts';
import { koaApp } from '../adapters/http/koa/koa-app.ts';
import { readScalar } from '../adapters/http/koa/scalar.ts';
import { HttpServer } from '../adapters/http/koa/server.ts';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { RequestListenerToken, ServiceEndpointsToken } from './tokens.ts';

/** What serves the HTTP adapter on Node, and the endpoints that need Node. */
export function koaModule(settings: HttpSettings): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(ServiceEndpointsToken).toConstantValue([scalarEndpoint(readScalar)]);
    bind(RequestListenerToken)
      .toDynamicValue((context) =>
        koaApp({
          settings,
          handler: context.get(RequestHandler),
          extensions: context.getAll(KoaExtension, { optional: true }),
          load: context.get(LoadShedder),
          readiness: context.get(Readiness),
        }),
      )
      .inSingletonScope();
    bind(HttpServer)
      .toResolvedValue(
        (listener, access) => new HttpServer(listener, settings, (address) => access.admitUnread(address)),
        [RequestListenerToken, HttpAccess],
      )
      .inSingletonScope();
  });
}
