import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { PinoLog } from '../adapters/logging/pino-log.ts';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { accessModule } from './access.module.ts';
import { applicationModule } from './application.module.ts';
import { httpModule } from './http.module.ts';
import { OptionRefused, type PetstoreOptions, SETTINGS } from './options.ts';
import { Plugins } from './plugins.ts';
import { isPostgresAddress } from './settings/service-settings.ts';
import { inMemoryModule, postgresqlModule, sqliteModule } from './storage.modules.ts';

/**
 * Wires the parts together, according to the options. `modules` are loaded last: with `rebind`, they replace what is bound here.
 */
export async function compose(options: PetstoreOptions, modules: readonly ContainerModule[] = []): Promise<Container> {
  const container = new Container();
  await container.loadAsync(
    storageModule(options),
    applicationModule,
    accessModule(options),
    httpModule(httpSettings(options, container)),
    new ContainerModule(({ bind }) => {
      bind(Clock)
        .toResolvedValue(() => new SystemClock())
        .inSingletonScope();
      bind(Log)
        .toResolvedValue(
          () => new PinoLog(options.logLevel, options.logTo === 'stderr' ? process.stderr : process.stdout),
        )
        .inSingletonScope();
    }),
  );
  const plugins = new Plugins(container, options.adapterTimeout);
  container.bind(Plugins).toConstantValue(plugins);
  await plugins.load(modules, options.adapters);
  if (options.auth === 'open' && container.isBound(CredentialVerifier)) {
    throw new OptionRefused(
      `${SETTINGS.auth.variable} was open, which turns authentication off; with a CredentialVerifier of another team it must be ${SETTINGS.auth.expects.replace('open, ', '')}.`,
    );
  }
  return container;
}

function storageModule(options: PetstoreOptions): ContainerModule {
  const { databaseUrl, sqliteSynchronous, limits } = options;
  if (databaseUrl === 'memory:') return inMemoryModule(limits.operationTime);
  if (isPostgresAddress(databaseUrl)) return postgresqlModule(options);
  return sqliteModule(
    { file: databaseUrl.slice('sqlite:'.length), synchronous: sqliteSynchronous },
    limits.operationTime,
  );
}

/** The options of the HTTP adapter. */
export function httpSettings(options: PetstoreOptions, container: Container): HttpSettings {
  const {
    basePath,
    publicUrl,
    corsOrigins,
    corsHeaders,
    unstable,
    requireIfMatch,
    trustedProxies,
    limits,
    auth,
    openNetwork,
  } = options;
  return {
    basePath,
    publicUrl,
    corsOrigins: corsOrigins ?? (auth === 'open' ? 'loopback' : []),
    corsHeaders,
    allowedHosts: auth === 'open' && !openNetwork ? options.allowedHosts : 'any',
    unstable,
    requireIfMatch,
    getPet: { since: options.getPetDeprecated, sunset: options.getPetSunset },
    credentials: {
      apiKey: auth.includes('api-key'),
      issuer: auth.includes('jwt') ? options.jwtIssuer : undefined,
    },
    // A module that is loaded later may bind or replace a limiter.
    get rateLimited() {
      return container.isBound(RateLimiter);
    },
    trustedProxies,
    limits,
  };
}
