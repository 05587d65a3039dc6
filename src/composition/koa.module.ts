import { ContainerModule } from 'inversify';
import { Admission } from '../adapters/http/handler/admission.ts';
import { RequestHandler } from '../adapters/http/handler/request-handler.ts';
import { koaApp } from '../adapters/http/koa/koa-app.ts';
import { HttpServer } from '../adapters/http/koa/server.ts';
import { referencePages } from '../adapters/http/pages/reference-pages.ts';
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
        (listener, admission) => new HttpServer(listener, settings, (address) => admission.admitUnread(address)),
        [RequestListenerToken, Admission],
      )
      .inSingletonScope();
  });
}
