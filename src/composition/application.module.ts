import { ContainerModule } from 'inversify';
import { Auditor } from '../application/auditor.ts';
import { CategoryDesk } from '../application/category-desk.ts';
import { Demonstration } from '../application/demonstration.ts';
import { OrderDesk } from '../application/order-desk.ts';
import { PetCatalog } from '../application/pet-catalog.ts';
import { Clock } from '../application/ports/clock.ts';
import { Reader } from '../application/ports/reader.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import { StockRoom } from '../application/stock-room.ts';

export const applicationModule = new ContainerModule(({ bind }) => {
  for (const Desk of [PetCatalog, CategoryDesk, OrderDesk, StockRoom, Demonstration] as const) {
    bind<InstanceType<typeof Desk>>(Desk)
      .toResolvedValue((work, reader, clock) => new Desk(work, reader, clock), [UnitOfWork, Reader, Clock])
      .inSingletonScope();
  }
  bind(Auditor)
    .toResolvedValue((reader) => new Auditor(reader), [Reader])
    .inSingletonScope();
});
