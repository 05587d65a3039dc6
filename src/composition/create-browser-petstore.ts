import { Container } from 'inversify';
import type { FetchHandler } from '../adapters/http/fetch/fetch-handler.ts';
import { ConsoleLog } from '../adapters/logging/console-log.ts';
import { WebDigest } from '../adapters/web-crypto/web-digest.ts';
import { WebSecrets } from '../adapters/web-crypto/web-secrets.ts';
import { applicationModule, eventRetentionModule } from './application.module.ts';
import { browserSchemas } from './browser-schemas.ts';
import { httpModule } from './http.module.ts';
import { httpSettings } from './http-settings.ts';
import { inMemoryModule } from './in-memory.module.ts';
import { Lifecycle } from './lifecycle.ts';
import { optionsWith, type PetstoreOptions } from './options.ts';
import { type Platform, platformModule } from './platform.module.ts';
import { FetchHandlerToken } from './tokens.ts';

/** The options that apply without a listening server, with the store in memory and without authentication. */
type BrowserOptions = Pick<
  PetstoreOptions,
  | 'basePath'
  | 'publicUrl'
  | 'corsOrigins'
  | 'corsHeaders'
  | 'unstable'
  | 'requireIfMatch'
  | 'demo'
  | 'getPetDeprecated'
  | 'getPetSunset'
  | 'logLevel'
>;

/** An option that is absent or `undefined` has its default. */
export type BrowserPetstoreConfig = { readonly [Name in keyof BrowserOptions]?: BrowserOptions[Name] | undefined } & {
  readonly limits?: Parameters<typeof optionsWith>[0]['limits'];
};

/** A petstore that runs where there is no Node: in a page, a worker or a service worker. */
export interface BrowserPetstore {
  /** Answers a request as the service does over a connection. */
  readonly fetch: FetchHandler;
  /** All parts of the service, by port or class. */
  readonly container: Container;
  /** Completes the requests in progress. The store is lost. */
  close(): Promise<void>;
}

/**
 * Starts a petstore with a store in memory, which is reached by `fetch` only.
 * @throws {OptionRefused} with one line for each option that is not valid
 */
export async function createBrowserPetstore(config: BrowserPetstoreConfig = {}): Promise<BrowserPetstore> {
  // A browser delays the timers of hidden pages and of idle workers, which says nothing about load.
  const limits = { eventLoopLag: Number.MAX_SAFE_INTEGER, ...config.limits };
  const options = optionsWith({ ...config, limits, databaseUrl: 'memory:', auth: 'open' });
  const container = await composeForBrowsers(options);
  const lifecycle = new Lifecycle(container);
  await lifecycle.open(options);
  return { fetch: container.get(FetchHandlerToken), container, close: () => lifecycle.close() };
}

/** `schemas`: how schemas are compiled, if not beforehand. */
export async function composeForBrowsers(
  options: PetstoreOptions,
  schemas: Platform['schemas'] = browserSchemas,
): Promise<Container> {
  const container = new Container();
  await container.loadAsync(
    inMemoryModule(),
    applicationModule,
    eventRetentionModule(options),
    httpModule(httpSettings(options, container)),
    platformModule({
      log: () => new ConsoleLog(options.logLevel),
      secrets: () => new WebSecrets(),
      digest: () => new WebDigest(),
      schemas,
    }),
  );
  return container;
}
