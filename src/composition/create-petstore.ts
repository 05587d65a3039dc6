import type { Container, ContainerModule } from 'inversify';
import type { FetchHandler } from '../adapters/http/fetch/fetch-handler.ts';
import { HttpServer } from '../adapters/http/koa/server.ts';
import { KeyDesk } from '../application/key-desk.ts';
import { Log } from '../application/ports/log.ts';
import { compose } from './compose.ts';
import { addFirstKey, firstKeyOf } from './first-key.ts';
import { Lifecycle } from './lifecycle.ts';
import { OptionRefused, optionsWith, type PetstoreOptions, SETTINGS } from './options.ts';
import { Plugins } from './plugins.ts';
import { FetchHandlerToken } from './tokens.ts';

/** A running petstore. */
export interface Petstore {
  /** Where it listens, such as `http://127.0.0.1:8080`, without the base path. */
  readonly url: string;
  /**
   * Answers a request as the service does over a connection, in this process. The `Host` rule, the limits of connections and
   * compression do not apply.
   */
  readonly fetch: FetchHandler;
  /** All parts of the service, by port or class. */
  readonly container: Container;
  /** Completes the requests in progress and releases all resources. May be called more than once. */
  close(): Promise<void>;
}

/** A petstore without a server: the desks are in its container; storage, demonstration and purging work as usual. */
export type PetstoreWithoutServer = Omit<Petstore, 'url'> & { readonly url?: undefined };

export type PetstoreConfig = Parameters<typeof optionsWith>[0] & {
  /** Modules that replace what is bound by default (`rebind`), or add to it. */
  readonly modules?: readonly ContainerModule[] | undefined;
  readonly listen?: true | undefined;
};

/** For a program with its own transport: the service does not listen. */
export type ConfigWithoutServer = Omit<PetstoreConfig, 'listen'> & { readonly listen: false };

/**
 * Starts a petstore. It binds the port first, so that a port in use stops the start before the store is changed; until the
 * storage is open, every operation answers 503.
 * @throws {OptionRefused | StorageRefused} with one line that names the setting; all resources are released
 */
export async function createPetstore(config?: PetstoreConfig): Promise<Petstore>;
export async function createPetstore(config: ConfigWithoutServer): Promise<PetstoreWithoutServer>;
export async function createPetstore({
  modules = [],
  listen = true,
  ...given
}: PetstoreConfig | ConfigWithoutServer = {}): Promise<Petstore | PetstoreWithoutServer> {
  const options = optionsWith(given);
  const firstKey = await firstKeyOf(options);
  const container = await compose(options, modules);
  const plugins = container.get(Plugins);
  const log = container.get(Log);
  const server = listen ? container.get(HttpServer) : undefined;
  const fetch = container.get(FetchHandlerToken);
  const lifecycle = new Lifecycle(container, async () => server?.close(options.shutdownGrace));
  const close = () => lifecycle.close();

  try {
    const port = server && (await listenOn(server, options));
    await lifecycle.open(options, {
      openStorage: () => plugins.openStorage(),
      prepare: async () => {
        // A store with a key is not filled, so the first key is added afterwards.
        if (firstKey !== undefined) await addFirstKey(container.get(KeyDesk), firstKey, log);
      },
    });
    if (port === undefined) return { fetch, container, close };
    if (options.auth === 'open' && options.openNetwork) {
      log.warn('authentication is off: every client that reaches this service may do everything', {
        host: options.host,
        variable: SETTINGS.openNetwork.variable,
      });
    }
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    return { url: `http://${host}:${port}`, fetch, container, close };
  } catch (error) {
    // The first error is the one to report.
    await lifecycle.close(() => plugins.abandonStorage()).catch(() => undefined);
    throw error;
  }
}

async function listenOn(server: HttpServer, { host, port }: PetstoreOptions): Promise<number> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new OptionRefused(`PORT was ${port}, which is in use on ${host}; set PORT to a free one, or to 0.`);
    if (code === 'EACCES')
      throw new OptionRefused(`PORT was ${port}, which this user is not permitted to use; set PORT to 1024 or more.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OptionRefused(`HOST was ${JSON.stringify(host)}, which is not an address of this machine.`);
    }
    throw error;
  }
}
