import { ContainerModule } from 'inversify';
import { InMemoryReader } from '../adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../adapters/in-memory/storage.ts';
import { InMemoryStore } from '../adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../adapters/in-memory/unit-of-work.ts';
import { MikroOrmReader } from '../adapters/mikro-orm/reader.ts';
import { MikroOrmStorage, type SqliteSettings } from '../adapters/mikro-orm/storage.ts';
import { MikroOrmUnitOfWork } from '../adapters/mikro-orm/unit-of-work.ts';
import { Reader } from '../application/ports/reader.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';

/** How long to wait for another process that writes to the same file. */
const MOST_BUSY_MS = 5_000;

/** `work`: how long one unit of work may take, in milliseconds. */
export function inMemoryModule(work: number): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(InMemoryStore)
      .toResolvedValue(() => new InMemoryStore())
      .inSingletonScope();
    bind(UnitOfWork)
      .toResolvedValue((store) => new InMemoryUnitOfWork(store, work), [InMemoryStore])
      .inSingletonScope();
    bind(Reader)
      .toResolvedValue((store) => new InMemoryReader(store), [InMemoryStore])
      .inSingletonScope();
    bind(Storage)
      .toResolvedValue((store) => new InMemoryStorage(store), [InMemoryStore])
      .inSingletonScope();
  });
}

/** `work`: how long one unit of work may take, in milliseconds. */
export function sqliteModule(settings: SqliteSettings, work: number): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(MikroOrmUnitOfWork)
      .toResolvedValue(() => new MikroOrmUnitOfWork({ work, busy: Math.min(work, MOST_BUSY_MS) }))
      .inSingletonScope();
    bind(MikroOrmReader)
      .toResolvedValue(() => new MikroOrmReader())
      .inSingletonScope();
    bind(UnitOfWork).toService(MikroOrmUnitOfWork);
    bind(Reader).toService(MikroOrmReader);
    bind(Storage)
      .toResolvedValue(
        (work, reader) => new MikroOrmStorage(settings, work, reader),
        [MikroOrmUnitOfWork, MikroOrmReader],
      )
      .inSingletonScope();
  });
}
