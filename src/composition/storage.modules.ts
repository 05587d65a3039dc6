import { ContainerModule } from 'inversify';
import { MikroOrmReader } from '../adapters/mikro-orm/reader.ts';
import type { SqliteSettings } from '../adapters/mikro-orm/sqlite/storage.ts';
import { EventLog } from '../application/ports/event-log.ts';
import { Log } from '../application/ports/log.ts';
import { Reader } from '../application/ports/reader.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import type { PetstoreOptions } from './options.ts';

export function sqliteModule(settings: SqliteSettings): ContainerModule {
  return new ContainerModule(async ({ bind }) => {
    const { SqliteEventLog } = await import('../adapters/mikro-orm/sqlite/event-log.ts');
    const { SqliteStorage } = await import('../adapters/mikro-orm/sqlite/storage.ts');
    const { SqliteUnitOfWork } = await import('../adapters/mikro-orm/sqlite/unit-of-work.ts');
    bind(SqliteUnitOfWork)
      .toResolvedValue(() => new SqliteUnitOfWork())
      .inSingletonScope();
    bind(MikroOrmReader)
      .toResolvedValue(() => new MikroOrmReader())
      .inSingletonScope();
    bind(SqliteEventLog)
      .toResolvedValue(() => new SqliteEventLog())
      .inSingletonScope();
    bind(UnitOfWork).toService(SqliteUnitOfWork);
    bind(EventLog).toService(SqliteEventLog);
    bind(Reader).toService(MikroOrmReader);
    bind(Storage)
      .toResolvedValue(
        (unitOfWork, reader, eventLog) => new SqliteStorage(settings, unitOfWork, reader, eventLog),
        [SqliteUnitOfWork, MikroOrmReader, SqliteEventLog],
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
    const { PostgresqlEventLog } = await import('../adapters/mikro-orm/postgresql/event-log.ts');
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
    bind(PostgresqlEventLog)
      .toResolvedValue((log) => new PostgresqlEventLog(log), [Log])
      .inSingletonScope();
    bind(UnitOfWork).toService(PostgresqlUnitOfWork);
    bind(EventLog).toService(PostgresqlEventLog);
    bind(Reader).toService(MikroOrmReader);
    bind(Storage)
      .toResolvedValue(
        (unitOfWork, reader, log, eventLog) =>
          new PostgresqlStorage(
            { url: databaseUrl, pool: postgresPool, work, replicas },
            unitOfWork,
            reader,
            log,
            eventLog,
          ),
        [PostgresqlUnitOfWork, MikroOrmReader, Log, PostgresqlEventLog],
      )
      .inSingletonScope();
  });
}
