import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { type Container, ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify';
import { Storage, StorageRefused } from '../application/ports/storage.ts';
import { StorageUnavailable, UnitOfWork } from '../application/ports/unit-of-work.ts';
import { PORTS_VERSION } from '../application/ports/version.ts';
import type { AdapterModule } from './adapter-module.ts';
import { OptionRefused } from './options.ts';
import { type BindablePort, missingInScope, missingMembers, PORTS } from './ports.ts';

/** How long the storage of another team may take to close after a start that failed, in milliseconds. */
const CLOSING_MS = 5_000;

/** A module of another team, and the beginning of every refusal message about it. */
interface Plugin {
  readonly subject: string;
  readonly module: ContainerModule;
}

/** Loads the modules of other teams into the container; refuses an unusable one with one line. */
export class Plugins {
  readonly #container: Container;
  readonly #timeout: number;
  /** For every port that a module has bound, the beginning of a refusal message. */
  readonly #subjects = new Map<ServiceIdentifier, string>();
  readonly #boundTwice = new Set<ServiceIdentifier>();

  /** `timeout`: how long a module may take to load, and its storage to open, in milliseconds. */
  constructor(container: Container, timeout: number) {
    this.#container = container;
    this.#timeout = timeout;
  }

  /**
   * Loads the modules that a program passes, and then those in `PETSTORE_ADAPTERS`: paths relative to the working directory, or
   * names of installed packages. @throws {OptionRefused}
   */
  async load(modules: readonly ContainerModule[], sources: readonly string[]): Promise<void> {
    for (const [i, module] of modules.entries()) await this.#load(pluginOf(`modules[${i}] cannot be used`, module));
    for (const source of sources) {
      const subject = subjectOf([source]);
      for (const plugin of await this.#import(subject, source)) await this.#load(plugin);
    }
    for (const port of PORTS) this.#check(port);
    // Node reports an unhandled rejection at the end of a turn of the event loop: here, before anything is opened.
    if (sources.length > 0) await setImmediate();
  }

  /**
   * Opens the storage. That of another team has a time limit, and its units of work must have every member.
   * @throws {OptionRefused | StorageRefused}
   */
  async openStorage(...how: Parameters<Storage['open']>): Promise<void> {
    const storage = this.#container.get(Storage);
    const subject = this.#subjects.get(Storage);
    if (subject === undefined) await storage.open(...how);
    else {
      const opening = this.#within(subject, 'its storage did not open', async () => storage.open(...how));
      await opening.catch((error: unknown) => {
        if (error instanceof StorageRefused || error instanceof OptionRefused) throw error;
        throw refusal(subject, `its storage cannot be opened: ${reasonOf(error)}`, error);
      });
    }
    await this.#checkScope();
  }

  /** Closes the storage after a failed start, with a time limit for that of another team. */
  async abandonStorage(): Promise<void> {
    const storage = this.#container.get(Storage);
    const subject = this.#subjects.get(Storage);
    if (subject === undefined) await storage.close();
    else
      await this.#within(
        subject,
        'its storage did not close',
        async () => storage.close(),
        Math.min(this.#timeout, CLOSING_MS),
      );
  }

  async #import(subject: string, source: string): Promise<Plugin[]> {
    const address = /^\.{0,2}\//.test(source) ? pathToFileURL(resolve(source)).href : undefined;
    const exported = await this.#orRefusal(subject, async () => {
      const loaded = (await import(address ?? import.meta.resolve(source))) as { readonly default?: unknown };
      return { default: loaded.default };
    });
    const given = Array.isArray(exported.default) ? (exported.default as unknown[]) : [exported.default];
    if (given.length === 0 || !given.every(isModule)) {
      throw refusal(subject, 'its default export must be a module made by adapterModule, or a list of them');
    }
    return given.map((module) => {
      const plugin = pluginOf(subject, module);
      if ('ports' in plugin.module) return plugin;
      const because = 'it does not state the version of the ports that it was written for';
      throw refusal(subject, `${because}; export adapterModule({ ports: ${PORTS_VERSION} }, …)`);
    });
  }

  async #load({ subject, module }: Plugin): Promise<void> {
    let binds = false;
    const note = (identifier: ServiceIdentifier, how: Act) => {
      const isBound = this.#container.isBound(identifier);
      // A module may also decorate an existing binding.
      if (how === 'activate') {
        binds ||= isBound;
        return;
      }
      const port = PORTS.find((each) => each.port === identifier);
      if (port) {
        this.#subjects.set(identifier, subject);
        if (how !== 'bind') this.#boundTwice.delete(identifier);
        else if (isBound && port.adapters !== 'any number') this.#boundTwice.add(identifier);
      } else if (PORTS.some((each) => each.port.name === nameOf(identifier))) {
        const name = nameOf(identifier);
        throw refusal(subject, `it binds another ${name}, which is not the port ${name} of petstore-service`);
      } else if (how !== 'bind' && !isBound) {
        throw refusal(subject, `it rebinds ${nameOf(identifier)}, to which nothing is bound`);
      }
      binds ||= port !== undefined || isBound;
    };
    const noting = new ContainerModule((options) => module.load(noted(options, note)));
    await this.#orRefusal(subject, () => this.#container.loadAsync(noting));
    if (binds) return;
    const names = PORTS.map(({ port }) => port.name).join(', ');
    throw refusal(subject, `it binds none of the ports (${names}), which are in petstore-service/ports/…`);
  }

  /** Checks that what is bound to a port has its members. */
  #check({ port, adapters, members }: BindablePort): void {
    const subject = this.#subjects.get(port);
    if (subject === undefined) return;
    const { name } = port;
    if (this.#boundTwice.has(port)) {
      throw refusal(subject, `${name} is bound twice: use rebind to replace the existing binding`);
    }
    if (!this.#container.isBound(port)) {
      if (adapters !== 'one') return;
      throw refusal(subject, `it leaves nothing bound to ${name}`);
    }
    for (const adapter of this.#adaptersOf(port, subject)) {
      const missing = missingMembers(adapter, members);
      if (missing.length > 0) throw refusal(subject, `its ${name} lacks ${missing.join(', ')}`);
    }
  }

  #adaptersOf(port: BindablePort['port'], subject: string): unknown[] {
    try {
      return this.#container.getAll<unknown>(port);
    } catch (error) {
      const reason = reasonOf(error);
      throw refusal(
        subject,
        reason.startsWith('Unexpected asynchronous')
          ? `the factory of its ${port.name} is asynchronous: await it in the module, and bind the result`
          : `the factory of its ${port.name} threw: ${reason}`,
        error,
      );
    }
  }

  async #checkScope(): Promise<void> {
    const subject = this.#subjects.get(UnitOfWork);
    if (subject === undefined) return;
    const writing = async () => this.#container.get(UnitOfWork).write(async (scope) => missingInScope(scope));
    const missing = await this.#within(subject, 'an empty unit of work did not end', writing).catch(
      (error: unknown) => {
        if (error instanceof OptionRefused) throw error;
        // It may be available later.
        if (error instanceof StorageUnavailable) return [];
        throw refusal(subject, `its UnitOfWork cannot run an empty unit of work: ${reasonOf(error)}`, error);
      },
    );
    if (!Array.isArray(missing)) throw refusal(subject, 'its UnitOfWork does not return what the work returns');
    if (missing.length > 0) throw refusal(subject, `the scope of its UnitOfWork lacks ${missing.join(', ')}`);
  }

  /** Runs a step of loading a module; its errors become refusals. */
  async #orRefusal<Result>(subject: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#within(subject, 'it did not load', run);
    } catch (error) {
      if (error instanceof OptionRefused) throw error;
      throw refusal(subject, `it cannot be loaded: ${reasonOf(error)}`, error);
    }
  }

  async #within<Result>(
    subject: string,
    what: string,
    run: () => Promise<Result>,
    timeout = this.#timeout,
  ): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(refusal(subject, `${what} within ${timeout / 1000} s`)), timeout);
    try {
      return await Promise.race([run(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Runs a start, which an unhandled rejection of a module ends. */
export async function withoutUnhandledRejections<Result>(
  sources: readonly string[],
  start: () => Promise<Result>,
): Promise<Result> {
  if (sources.length === 0) return start();
  const { promise: unhandled, reject } = Promise.withResolvers<never>();
  const refuse = (reason: unknown) =>
    reject(refusal(subjectOf(sources), `it caused an unhandled rejection: ${reasonOf(reason)}`, reason));
  process.on('unhandledRejection', refuse);
  try {
    return await Promise.race([start(), unhandled]);
  } finally {
    process.removeListener('unhandledRejection', refuse);
  }
}

function pluginOf(subject: string, module: unknown): Plugin {
  if (!isModule(module)) {
    throw refusal(subject, 'it must be a module made by adapterModule');
  }
  const { ports } = module as Partial<AdapterModule>;
  if (ports !== undefined && ports !== PORTS_VERSION) {
    throw refusal(
      subject,
      `it was written for version ${ports} of the ports, and this service has version ${PORTS_VERSION}`,
    );
  }
  return { subject, module };
}

function isModule(given: unknown): given is ContainerModule {
  return typeof given === 'object' && given !== null && 'load' in given && typeof given.load === 'function';
}

type Act = 'bind' | 'rebind' | 'unbind' | 'activate';

/** The same options, which report every act on an identifier beforehand. */
function noted(
  options: ContainerModuleLoadOptions,
  note: (identifier: ServiceIdentifier, how: Act) => void,
): ContainerModuleLoadOptions {
  const noting =
    <Argument, Result>(how: Act, act: (argument: Argument) => Result) =>
    (argument: Argument): Result => {
      // `unbind` also takes identifiers of single bindings, which only a module's own bindings have.
      if (typeof argument !== 'object') note(argument as ServiceIdentifier, how);
      return act(argument);
    };
  return {
    ...options,
    bind: noting('bind', options.bind),
    rebind: noting('rebind', options.rebind),
    rebindAsync: noting('rebind', options.rebindAsync),
    unbind: noting('unbind', options.unbind),
    unbindAsync: noting('unbind', options.unbindAsync),
    onActivation(identifier, activation) {
      note(identifier, 'activate');
      options.onActivation(identifier, activation);
    },
  };
}

function subjectOf(sources: readonly string[]): string {
  return `PETSTORE_ADAPTERS was ${JSON.stringify(sources.join())}`;
}

function refusal(subject: string, because: string, cause?: unknown): OptionRefused {
  return Object.assign(new OptionRefused(`${subject}; ${because}.`), cause !== undefined && { cause });
}

function nameOf(identifier: ServiceIdentifier): string {
  return typeof identifier === 'function' ? identifier.name : String(identifier);
}

/** The thrown value in one line; it need not be an error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error))
    return `${inspect(error, { depth: 0, breakLength: Number.POSITIVE_INFINITY })} was thrown`;
  return error.message.split('\n', 1)[0] || error.name;
}
