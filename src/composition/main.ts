import { statSync } from 'node:fs';
import type { Container } from 'inversify';
import type { Terminal } from '../adapters/cli/key-commands.ts';
import { program } from '../adapters/cli/program.ts';
import { printDocument } from '../adapters/http/pages/document-pages.ts';
import { parseDateTime } from '../adapters/http/protocol/date-time.ts';
import { Auditor } from '../application/auditor.ts';
import { KeyDesk, KeyNotFound, KeyRefused } from '../application/key-desk.ts';
import { Log } from '../application/ports/log.ts';
import { Storage, StorageRefused } from '../application/ports/storage.ts';
import { AdapterUnusable } from '../conformance/adapter-under-test.ts';
import { compose, httpSettings } from './compose.ts';
import { createPetstore } from './create-petstore.ts';
import { OptionRefused, optionsFrom, type PetstoreOptions, unknownVariables } from './options.ts';
import { isPostgresAddress, withoutPassword } from './settings/service-settings.ts';
import { trialsOf } from './their-adapter.ts';
import { OperationsToken } from './tokens.ts';

const TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exit: (code) => process.exit(code),
};

/** What whoever started the program can set right. */
const SAID_IN_ONE_LINE = [OptionRefused, StorageRefused, KeyRefused, KeyNotFound, AdapterUnusable] as const;

/** Runs the command line. What cannot be done because of how it is set or asked for ends with one line and exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    const keys = { atKeyDesk, parseDateTime };
    await program({ serve, audit, printDocument: printOpenApi, keys, conformance: { trialsOf } }, TERMINAL).parseAsync(
      argv,
    );
  } catch (error) {
    if (!(error instanceof Error && SAID_IN_ONE_LINE.some((Said) => error instanceof Said))) throw error;
    process.stderr.write(`petstore: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function serve(): Promise<void> {
  const petstore = await createPetstore(optionsFrom(process.env));
  const log = petstore.container.get(Log);
  for (const name of unknownVariables(process.env)) log.warn('there is no such setting', { variable: name });

  const stop = (signal: NodeJS.Signals) => {
    log.info('shutting down', { signal });
    petstore.close().then(
      () => log.info('closed'),
      (error: unknown) => {
        log.error('could not close', { error });
        process.exitCode = 1;
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // Whoever waits for this line may end the service right after it.
  log.info('the petstore is open', { url: petstore.url, docs: `${petstore.url}/docs` });
}

async function audit(): Promise<void> {
  const options = optionsFrom(process.env);
  if (!(await isThere(options))) {
    throw new OptionRefused(
      `DATABASE_URL was ${JSON.stringify(withoutPassword(options.databaseUrl))}; to audit, it must name a store that exists.`,
    );
  }
  await withStore(options, async (container) => {
    const { pets, findings } = await container.get(Auditor).audit();
    for (const { petId, rule, message } of findings) process.stdout.write(`pet ${petId}: ${rule}: ${message}\n`);
    process.stdout.write(`${pets} pets audited, ${findings.length} rules broken\n`);
    if (findings.length > 0) process.exitCode = 1;
  });
}

async function atKeyDesk(doing: (desk: KeyDesk) => Promise<void>, mayBegin?: 'may begin a store'): Promise<void> {
  const options = optionsFrom(process.env);
  if (options.databaseUrl === 'memory:') {
    throw new OptionRefused(
      'DATABASE_URL was "memory:", which keeps no keys; set it to sqlite: and the path of the file that the service uses, or to the postgresql: address.',
    );
  }
  if (!mayBegin && !(await isThere(options))) {
    throw new OptionRefused(
      `DATABASE_URL was ${JSON.stringify(withoutPassword(options.databaseUrl))}; to look at its keys, it must name a store that exists.`,
    );
  }
  await withStore(options, (container) => doing(container.get(KeyDesk)));
}

async function isThere({ databaseUrl, limits }: PetstoreOptions): Promise<boolean> {
  if (databaseUrl === 'memory:') return false;
  if (isPostgresAddress(databaseUrl)) {
    const { isStoreThere } = await import('../adapters/mikro-orm/postgresql/storage.ts');
    return isStoreThere({ url: databaseUrl, pool: 1, work: limits.work });
  }
  return statSync(databaseUrl.slice('sqlite:'.length), { throwIfNoEntry: false })?.isFile() ?? false;
}

async function withStore(options: PetstoreOptions, doing: (container: Container) => Promise<void>): Promise<void> {
  // What is asked here is asked of the primary.
  const container = await compose({ ...options, postgresReplicas: [] });
  const storage = container.get(Storage);
  await storage.open();
  try {
    await doing(container);
  } finally {
    await storage.close();
  }
}

async function printOpenApi(form: 'json' | 'yaml'): Promise<void> {
  const options = optionsFrom(process.env);
  // What is asked here is asked of the primary.
  const container = await compose({ ...options, postgresReplicas: [] });
  process.stdout.write(`${await printDocument(form, container.get(OperationsToken), httpSettings(options))}\n`);
}
