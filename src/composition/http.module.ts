import { ContainerModule } from 'inversify';
import { categoryRoutes } from '../adapters/http/categories.routes.ts';
import { koaApp } from '../adapters/http/engine/koa-app.ts';
import { Metrics } from '../adapters/http/engine/metrics.ts';
import { Readiness } from '../adapters/http/engine/readiness.ts';
import { HttpServer } from '../adapters/http/engine/server.ts';
import { inventoryRoutes } from '../adapters/http/inventory.routes.ts';
import { requiringIfMatch } from '../adapters/http/operation.ts';
import { orderRoutes } from '../adapters/http/orders.routes.ts';
import { documentPages } from '../adapters/http/pages/document-pages.ts';
import { errorPages } from '../adapters/http/pages/error-pages.ts';
import { operatingPages } from '../adapters/http/pages/operating-pages.ts';
import { referencePages } from '../adapters/http/pages/reference-pages.ts';
import { petRoutes } from '../adapters/http/pets.routes.ts';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { CategoryDesk } from '../application/category-desk.ts';
import { OrderDesk } from '../application/order-desk.ts';
import { PetCatalog } from '../application/pet-catalog.ts';
import { Clock } from '../application/ports/clock.ts';
import { Log } from '../application/ports/log.ts';
import { Storage } from '../application/ports/storage.ts';
import { StockRoom } from '../application/stock-room.ts';
import { OperationsToken, RequestListenerToken } from './tokens.ts';

export function httpModule(settings: HttpSettings): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Metrics)
      .toResolvedValue(() => new Metrics())
      .inSingletonScope();
    bind(Readiness)
      .toResolvedValue(() => new Readiness())
      .inSingletonScope();
    bind(OperationsToken)
      .toResolvedValue(
        (pets, categories, orders, stockRoom) =>
          [
            ...petRoutes(pets, settings.getPet),
            ...categoryRoutes(categories),
            ...orderRoutes(orders),
            ...inventoryRoutes(stockRoom),
          ].map((operation) => (settings.requireIfMatch ? requiringIfMatch(operation) : operation)),
        [PetCatalog, CategoryDesk, OrderDesk, StockRoom],
      )
      .inSingletonScope();
    bind(RequestListenerToken)
      .toResolvedValue(
        (operations, storage, stockRoom, metrics, readiness, clock, log) => {
          const pages = [
            ...documentPages(operations, settings),
            ...referencePages(),
            ...errorPages(),
            ...operatingPages({ storage, stockRoom, metrics, readiness }),
          ];
          return koaApp({ operations, pages, settings, clock, log, metrics, readiness });
        },
        [OperationsToken, Storage, StockRoom, Metrics, Readiness, Clock, Log],
      )
      .inSingletonScope();
    bind(HttpServer)
      .toResolvedValue((listener) => new HttpServer(listener, settings), [RequestListenerToken])
      .inSingletonScope();
  });
}
