import { ContainerModule } from 'inversify';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { Digest } from '../api/digest.ts';
import { SchemaCompiler } from '../api/validation.ts';
import { Clock } from '../application/ports/clock.ts';
import { Log } from '../application/ports/log.ts';
import { Secrets } from '../application/ports/secrets.ts';

/** The adapters that differ between Node and browsers. */
export interface Platform {
  readonly log: () => Log;
  readonly secrets: () => Secrets;
  readonly digest: () => Digest;
  readonly schemas: (digest: Digest) => SchemaCompiler;
}

export function platformModule({ log, secrets, digest, schemas }: Platform): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Clock)
      .toResolvedValue(() => new SystemClock())
      .inSingletonScope();
    bind(Log).toResolvedValue(log).inSingletonScope();
    bind(Secrets).toResolvedValue(secrets).inSingletonScope();
    bind(Digest).toResolvedValue(digest).inSingletonScope();
    bind(SchemaCompiler).toResolvedValue(schemas, [Digest]).inSingletonScope();
  });
}
