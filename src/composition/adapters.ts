import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Container, ContainerModule } from 'inversify';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { Reader } from '../application/ports/reader.ts';
import { Secrets } from '../application/ports/secrets.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import { OptionRefused } from './options.ts';

/** Where adapters are bound. Teams take it from here, so that theirs and ours are of one Inversify. */
export { ContainerModule };

/** What each port that may be taken has, and how many may keep it. The compiler sees to it that nothing is missing. */
const PORTS = [
  { port: UnitOfWork, keepers: 'one', has: membersOf<UnitOfWork>({ write: 1 }) },
  {
    port: Reader,
    keepers: 'one',
    has: membersOf<Reader>({
      pet: 1,
      storePet: 1,
      pets: 1,
      countPets: 1,
      category: 1,
      categories: 1,
      countCategories: 1,
      order: 1,
      orders: 1,
      countOrders: 1,
      inventoryItem: 1,
      inventory: 1,
      countInventory: 1,
      summary: 1,
      movements: 1,
      countMovements: 1,
      apiKey: 1,
      apiKeys: 1,
      stockRecords: 1,
    }),
  },
  { port: Storage, keepers: 'one', has: membersOf<Omit<Storage, 'isThere'>>({ open: 1, close: 1, check: 1 }) },
  { port: Clock, keepers: 'one', has: membersOf<Clock>({ now: 1 }) },
  { port: Log, keepers: 'one', has: membersOf<Log>({ debug: 1, info: 1, warn: 1, error: 1 }) },
  { port: Secrets, keepers: 'one', has: membersOf<Secrets>({ make: 1, digest: 1, same: 1 }) },
  {
    port: RateLimiter,
    keepers: 'one at most',
    has: membersOf<RateLimiter>({ policies: 'a list', take: 1, look: 1, close: 1 }),
  },
  { port: CredentialVerifier, keepers: 'any number', has: membersOf<CredentialVerifier>({ verify: 1 }) },
] as const;

/**
 * Loads the modules of other teams: paths from the working directory, or names of installed packages. Each exports, as its
 * default, a `ContainerModule` or a list of them. @throws {OptionRefused}
 */
export async function loadAdapters(sources: readonly string[]): Promise<ContainerModule[]> {
  const modules: ContainerModule[] = [];
  for (const source of sources) {
    const exported = await importAdapter(source);
    const given = Array.isArray(exported) ? (exported as unknown[]) : [exported];
    if (given.length === 0 || !given.every(isModule)) {
      throw refusal(source, 'its default export must be a ContainerModule, or a list of them');
    }
    modules.push(...given);
  }
  return modules;
}

/** What was put in the place of a port must look like it. @throws {OptionRefused} */
export function checkAdapters(container: Container, sources: readonly string[]): void {
  if (sources.length === 0) return;
  for (const { port, keepers, has } of PORTS) {
    if (keepers !== 'one' && !container.isBound(port)) continue;
    for (const adapter of adaptersOf(container, port, keepers, sources)) {
      const missing = has.filter(([name, kind]) => !isOfKind((adapter as Record<string, unknown>)[name], kind));
      if (missing.length > 0) {
        throw refusal(
          sources.join(', '),
          `what it binds as ${port.name} lacks ${missing.map(([name]) => name).join(', ')}`,
        );
      }
    }
  }
}

function adaptersOf(
  container: Container,
  port: (typeof PORTS)[number]['port'],
  keepers: (typeof PORTS)[number]['keepers'],
  sources: readonly string[],
): unknown[] {
  try {
    return keepers === 'any number' ? container.getAll<unknown>(port) : [container.get<unknown>(port)];
  } catch (error) {
    const because = `${port.name} cannot be made: ${firstLine(error)}; use rebind to take the place of what is bound`;
    throw refusal(sources.join(', '), because);
  }
}

/** A module that fails while it is loaded into the container says so in this form. */
export function refusalOfAdapters(sources: readonly string[], error: unknown): OptionRefused {
  return refusal(sources.join(', '), `it cannot be loaded: ${firstLine(error)}`);
}

async function importAdapter(source: string): Promise<unknown> {
  try {
    const address = /^\.{0,2}\//.test(source) ? pathToFileURL(resolve(source)).href : import.meta.resolve(source);
    const { default: exported } = (await import(address)) as { readonly default?: unknown };
    return exported;
  } catch (error) {
    throw refusal(source, `it cannot be loaded: ${firstLine(error)}`);
  }
}

function isModule(given: unknown): given is ContainerModule {
  return typeof given === 'object' && given !== null && 'load' in given && typeof given.load === 'function';
}

function refusal(source: string, because: string): OptionRefused {
  return new OptionRefused(`PETSTORE_ADAPTERS was ${JSON.stringify(source)}; ${because}.`);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** What a member of a port is: a method (1), or a list. */
type Kind = 1 | 'a list';

function isOfKind(member: unknown, kind: Kind): boolean {
  return kind === 1 ? typeof member === 'function' : Array.isArray(member);
}

function membersOf<Port>(
  members: {
    readonly [Name in keyof Port]: Port[Name] extends (...given: never) => unknown ? 1 : 'a list';
  },
): readonly (readonly [name: string, kind: Kind])[] {
  return Object.entries(members as Readonly<Record<string, Kind>>);
}
