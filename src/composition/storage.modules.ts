import { ContainerModule } from 'inversify';
import { MikroOrmReader } from '../adapters/mikro-orm/reader.ts';
import type { SqliteSettings } from '../adapters/mikro-orm/sqlite/storage.ts';
import { Log } from '../application/ports/log.ts';
import { Reader } from '../application/ports/reader.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import type { PetstoreOptions } from './options.ts';

export function sqliteModule(settings: SqliteSettings): ContainerModule {
  return new ContainerModule(async ({ bind }) => {
    const { SqliteStorage } = await import('../adapters/mikro-orm/sqlite/storage.ts');
    const { SqliteUnitOfWork } = await import('../adapters/mikro-orm/sqlite/unit-of-work.ts');
    bind(SqliteUnitOfWork)
      .toResolvedValue(() => new SqliteUnitOfWork())
      .inSingletonScope();
    bind(MikroOrmReader)
      .toResolvedValue(() => new MikroOrmReader())
      .inSingletonScope();
    bind(UnitOfWork).toService(SqliteUnitOfWork);
    bind(Reader).toService(MikroOrmReader);
    bind(Storage)
      .toResolvedValue(
        (unitOfWork, reader) => new SqliteStorage(settings, unitOfWork, reader),
        [SqliteUnitOfWork, MikroOrmReader],
      )
      .inSingletonScope();
  });
}

export function postgresqlModule({
  databaseUrl,
  postgresPool,
  postgresIsolation,
  postgresReplicas: replicas,
  limits,
}: PetstoreOptions): ContainerModule {
  const { operationTime: work } = limits;
  return new ContainerModule(async ({ bind }) => {
    const { PostgresqlStorage } = await import('../adapters/mikro-orm/postgresql/storage.ts');
    const { PostgresqlUnitOfWork } = await import('../adapters/mikro-orm/postgresql/unit-of-work.ts');
    bind(PostgresqlUnitOfWork)
      .toResolvedValue(
        (log) => new PostgresqlUnitOfWork({ commitTimeout: work, isolation: postgresIsolation }, log),
        [Log],
      )
      .inSingletonScope();
    bind(MikroOrmReader)
      .toResolvedValue(() => new MikroOrmReader())
      .inSingletonScope();
    bind(UnitOfWork).toService(PostgresqlUnitOfWork);
    bind(Reader).toService(MikroOrmReader);
    bind(Storage)
      .toResolvedValue(
        (unitOfWork, reader, log) =>
          new PostgresqlStorage({ url: databaseUrl, pool: postgresPool, work, replicas }, unitOfWork, reader, log),
        [PostgresqlUnitOfWork, MikroOrmReader, Log],
      )
      .inSingletonScope();
  });
}
