import { ContainerModule } from 'inversify';
import { asyncApiPage, documentPages } from '../adapters/http/endpoints/document-endpoints.ts';
import { errorPages } from '../adapters/http/endpoints/error-pages.ts';
import { landingPages } from '../adapters/http/endpoints/landing-page.ts';
import { operatingPages } from '../adapters/http/endpoints/operating-endpoints.ts';
import { referencePages } from '../adapters/http/endpoints/reference-pages.ts';
import { fetchHandler } from '../adapters/http/fetch/fetch-handler.ts';
import { EventStreams } from '../adapters/http/handler/event-streams.ts';
import { HttpAccess } from '../adapters/http/handler/http-access.ts';
import { LoadShedder } from '../adapters/http/handler/load-shedder.ts';
import { Metrics } from '../adapters/http/handler/metrics.ts';
import { Readiness } from '../adapters/http/handler/readiness.ts';
import { RequestDeadlines } from '../adapters/http/handler/request-deadlines.ts';
import { RequestHandler } from '../adapters/http/handler/request-handler.ts';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { categoryOperations } from '../api/categories.operations.ts';
import { Cursors } from '../api/cursors.ts';
import { Digest } from '../api/digest.ts';
import { eventOperations } from '../api/events.operations.ts';
import { inventoryOperations } from '../api/inventory.operations.ts';
import { requiringIfMatch } from '../api/operation.ts';
import { orderOperations } from '../api/orders.operations.ts';
import { petOperations } from '../api/pets.operations.ts';
import { SchemaCompiler } from '../api/validation.ts';
import { webhookOperations } from '../api/webhooks.operations.ts';
import { AccessControl } from '../application/access-control.ts';
import { EventFeed } from '../application/event-feed.ts';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { Storage } from '../application/ports/storage.ts';
import { Shop } from '../application/shop.ts';
import { FetchHandlerToken, OperationPartsToken, OperationsToken, ServiceEndpointsToken } from './tokens.ts';

/** The HTTP adapter without what listens: it runs on Node and in browsers. */
export function httpModule(settings: HttpSettings): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Metrics)
      .toResolvedValue(() => new Metrics())
      .inSingletonScope();
    bind(Readiness)
      .toResolvedValue(() => new Readiness())
      .inSingletonScope();
    bind(RequestDeadlines)
      .toResolvedValue(() => new RequestDeadlines(settings.limits.operationTime))
      .inSingletonScope();
    bind(LoadShedder)
      .toResolvedValue((deadlines) => new LoadShedder(settings.limits, deadlines), [RequestDeadlines])
      .inSingletonScope();
    bind(HttpAccess)
      .toResolvedValue((access) => new HttpAccess({ access, trustedProxies: settings.trustedProxies }), [AccessControl])
      .inSingletonScope();
    bind(EventStreams)
      .toResolvedValue(
        (feed, access) => new EventStreams({ feed, access, limits: settings.limits }),
        [EventFeed, HttpAccess],
      )
      .inSingletonScope();
    bind(AccessControl)
      .toDynamicValue((context) => {
        const [load, deadlines] = [context.get(LoadShedder), context.get(RequestDeadlines)];
        return new AccessControl({
          verifiers: context.getAll(CredentialVerifier, { optional: true }),
          limiter: context.get(RateLimiter, { optional: true }),
          verifying: (verify) => {
            load.shedIfOverloaded();
            return deadlines.duringVerification(verify);
          },
        });
      })
      .inSingletonScope();
    bind(OperationsToken).toConstantValue(
      [
        ...petOperations(settings.getPet),
        ...categoryOperations,
        ...orderOperations,
        ...inventoryOperations,
        ...eventOperations(settings),
        ...webhookOperations,
      ].map((operation) => (settings.requireIfMatch ? requiringIfMatch(operation) : operation)),
    );
    bind(OperationPartsToken)
      .toResolvedValue(
        (clock, readiness, shop, deadlines, load, streams, digest, schemas) => ({
          settings,
          clock,
          readiness,
          shop,
          deadlines,
          load,
          streams,
          cursors: new Cursors(digest),
          digest,
          schemas,
        }),
        [Clock, Readiness, Shop, RequestDeadlines, LoadShedder, EventStreams, Digest, SchemaCompiler],
      )
      .inSingletonScope();
    bind(ServiceEndpointsToken)
      .toResolvedValue(
        (operations, { shop, readiness, load, streams }, storage, access, metrics) => [
          ...landingPages(settings),
          ...documentPages(operations, settings),
          asyncApiPage(operations, settings),
          ...referencePages(),
          ...errorPages(),
          ...operatingPages({ storage, stockRoom: shop.stockRoom, metrics, readiness, access, load, streams }),
        ],
        [OperationsToken, OperationPartsToken, Storage, HttpAccess, Metrics],
      )
      .inSingletonScope();
    bind(RequestHandler)
      .toDynamicValue(
        (context) =>
          new RequestHandler({
            ...context.get(OperationPartsToken),
            operations: context.get(OperationsToken),
            endpoints: context.getAll(ServiceEndpointsToken).flat(),
            access: context.get(HttpAccess),
            log: context.get(Log),
            metrics: context.get(Metrics),
          }),
      )
      .inSingletonScope();
    bind(FetchHandlerToken)
      .toResolvedValue((handler) => fetchHandler(handler), [RequestHandler])
      .inSingletonScope();
  });
}
