import { ContainerModule } from 'inversify';
import { referencePages } from '../adapters/http/endpoints/reference-pages.ts';
import { HttpAccess } from '../adapters/http/handler/http-access.ts';
import { RequestHandler } from '../adapters/http/handler/request-handler.ts';
import { koaApp } from '../adapters/http/koa/koa-app.ts';
import { HttpServer } from '../adapters/http/koa/server.ts';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { RequestListenerToken, ServiceEndpointsToken } from './tokens.ts';

/** What serves the HTTP adapter on Node, and the endpoints that need Node. */
export function koaModule(settings: HttpSettings): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(ServiceEndpointsToken).toConstantValue(referencePages());
    bind(RequestListenerToken)
      .toResolvedValue((handler) => koaApp(handler, settings), [RequestHandler])
      .inSingletonScope();
    bind(HttpServer)
      .toResolvedValue(
        (listener, access) => new HttpServer(listener, settings, (address) => access.admitUnread(address)),
        [RequestListenerToken, HttpAccess],
      )
      .inSingletonScope();
  });
}
