import 'reflect-metadata';
import { Container, type ContainerModule } from 'inversify';
import { PinoLog } from '../adapters/logging/pino-log.ts';
import { NodeDigest } from '../adapters/node-crypto/node-digest.ts';
import { NodeSecrets } from '../adapters/node-crypto/node-secrets.ts';
import { AjvCompiler } from '../api/ajv-compiler.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { accessModule } from './access.module.ts';
import { applicationModule, eventRetentionModule } from './application.module.ts';
import { httpModule } from './http.module.ts';
import { httpSettings } from './http-settings.ts';
import { inMemoryModule } from './in-memory.module.ts';
import { koaModule } from './koa.module.ts';
import { OptionRefused, type PetstoreOptions, SETTINGS } from './options.ts';
import { platformModule } from './platform.module.ts';
import { Plugins } from './plugins.ts';
import { isPostgresAddress } from './settings/service-settings.ts';
import { postgresqlModule, sqliteModule } from './storage.modules.ts';
import { webhooksModule } from './webhooks.module.ts';

/**
 * Wires the parts together, according to the options. `modules` are loaded last: with `rebind`, they replace what is bound here.
 */
export async function compose(options: PetstoreOptions, modules: readonly ContainerModule[] = []): Promise<Container> {
  const container = new Container();
  const settings = httpSettings(options, container);
  await container.loadAsync(
    storageModule(options),
    applicationModule,
    eventRetentionModule(options),
    accessModule(options),
    httpModule(settings),
    koaModule(settings),
    webhooksModule(options),
    platformModule({
      log: () => new PinoLog(options.logLevel, options.logTo === 'stderr' ? process.stderr : process.stdout),
      secrets: () => new NodeSecrets(),
      digest: () => new NodeDigest(),
      schemas: () => new AjvCompiler(),
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
  const { databaseUrl, sqliteSynchronous } = options;
  if (databaseUrl === 'memory:') return inMemoryModule();
  if (isPostgresAddress(databaseUrl)) return postgresqlModule(options);
  return sqliteModule({ file: databaseUrl.slice('sqlite:'.length), synchronous: sqliteSynchronous });
}
