import { ContainerModule } from 'inversify';
import { InMemoryEventLog } from '../adapters/in-memory/event-log.ts';
import { InMemoryReader } from '../adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../adapters/in-memory/storage.ts';
import { InMemoryStore } from '../adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../adapters/in-memory/unit-of-work.ts';
import { EventLog } from '../application/ports/event-log.ts';
import { Reader } from '../application/ports/reader.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';

export function inMemoryModule(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(InMemoryStore)
      .toResolvedValue(() => new InMemoryStore())
      .inSingletonScope();
    bind(UnitOfWork)
      .toResolvedValue((store) => new InMemoryUnitOfWork(store), [InMemoryStore])
      .inSingletonScope();
    bind(Reader)
      .toResolvedValue((store) => new InMemoryReader(store), [InMemoryStore])
      .inSingletonScope();
    bind(EventLog)
      .toResolvedValue((store) => new InMemoryEventLog(store), [InMemoryStore])
      .inSingletonScope();
    bind(Storage)
      .toResolvedValue((store) => new InMemoryStorage(store), [InMemoryStore])
      .inSingletonScope();
  });
}
