import { readFileSync } from 'node:fs';
import type { Container } from 'inversify';
import { commandLine, program } from '../adapters/cli/program.ts';
import type { Terminal } from '../adapters/cli/terminal.ts';
import { printDocument } from '../adapters/http/pages/document-pages.ts';
import { InMemoryStorage } from '../adapters/in-memory/storage.ts';
import { parseDateTime } from '../api/date-time.ts';
import { Auditor } from '../application/auditor.ts';
import { KeyDesk, KeyNotFound, KeyRefused } from '../application/key-desk.ts';
import { Log } from '../application/ports/log.ts';
import { Storage, StorageRefused } from '../application/ports/storage.ts';
import { AdapterUnusable } from '../conformance/adapter-under-test.ts';
import { compose, httpSettings } from './compose.ts';
import { trialsOf } from './conformance-targets.ts';
import { createPetstore } from './create-petstore.ts';
import { OptionRefused, optionsFrom, unknownVariables } from './options.ts';
import { Plugins, withoutUnhandledRejections } from './plugins.ts';
import { withoutPassword } from './settings/service-settings.ts';
import { OperationsToken } from './tokens.ts';

const TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exit: (code) => process.exit(code),
};

/** They end the service in good order. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long what is left behind may keep a process whose service is closed, in milliseconds. */
const LEAVING_MS = 1_000;

/** What whoever started the program can set right. */
const SAID_IN_ONE_LINE = [OptionRefused, StorageRefused, KeyRefused, KeyNotFound, AdapterUnusable] as const;

/** Runs the command line. What cannot be done because of how it is set or asked for ends with one line and exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    const keys = { atKeyDesk, parseDateTime };
    const commands = {
      version: packageVersion(),
      serve,
      audit,
      printDocument: printOpenApi,
      keys,
      conformance: { trialsOf },
    };
    await program(commands, TERMINAL).parseAsync(commandLine(argv));
  } catch (error) {
    if (!(error instanceof Error && SAID_IN_ONE_LINE.some((Said) => error instanceof Said))) throw error;
    process.exitCode = 2;
    // A module of another team may have left something behind, or not have come to its end.
    const lines = error.message.split('\n').map((line) => `petstore: ${line}\n`);
    process.stderr.write(lines.join(''), () => process.exit());
  }
}

/** From the package.json above `src` or `dist`. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function serve(): Promise<void> {
  const options = optionsFrom(process.env);
  const petstore = await withoutUnhandledRejections(options.adapters, () => createPetstore(options));
  const log = petstore.container.get(Log);
  for (const unknown of unknownVariables(process.env)) log.warn('unknown setting', { ...unknown });

  const stop = (signal: NodeJS.Signals) => {
    // Whoever sends a second one, be it the other, does not want to wait.
    for (const each of SIGNALS) process.removeListener(each, stop);
    log.info('shutting down', { signal });
    const closed = petstore.close().then(
      () => log.info('shutdown complete'),
      (error: unknown) => {
        log.error('shutdown failed', { error });
        process.exitCode = 1;
      },
    );
    // A connection whose other side is silent would keep the process for as long as that likes.
    void closed.then(() => setTimeout(() => process.exit(), LEAVING_MS).unref());
  };
  for (const each of SIGNALS) process.on(each, stop);
  // Whoever waits for this line may end the service right after it.
  log.info('the petstore is ready', { url: petstore.url, docs: `${petstore.url}/docs` });
}

async function audit(): Promise<void> {
  await withStore({ toBeThereTo: 'audit' }, async (container) => {
    const { pets, findings } = await container.get(Auditor).audit();
    for (const { petId, rule, message } of findings) process.stdout.write(`pet ${petId}: ${rule}: ${message}\n`);
    process.stdout.write(`${pets} pets audited, ${findings.length} rules broken\n`);
    if (findings.length > 0) process.exitCode = 1;
  });
}

async function atKeyDesk(doing: (desk: KeyDesk) => Promise<void>, mayBegin?: 'may begin a store'): Promise<void> {
  const toBeThereTo = mayBegin ? undefined : 'manage its keys';
  await withStore({ toBeThereTo, toBeKept: true }, (container) => doing(container.get(KeyDesk)));
}

/** What a command needs of the store: to be there already, and to keep what it is given. */
interface Need {
  readonly toBeThereTo: string | undefined;
  readonly toBeKept?: true;
}

async function withStore(
  { toBeThereTo, toBeKept }: Need,
  doing: (container: Container) => Promise<void>,
): Promise<void> {
  const options = optionsFrom(process.env);
  // What is asked here is asked of the primary.
  const container = await compose({ ...options, postgresReplicas: [] });
  const storage = container.get(Storage);
  if (toBeKept && storage instanceof InMemoryStorage) {
    throw new OptionRefused(
      'DATABASE_URL was "memory:", which stores no keys; set it to sqlite: and the path of the file that the service uses, or to the postgresql: address.',
    );
  }
  const isThere = await storage.isThere?.();
  if (toBeThereTo !== undefined && isThere === false) {
    throw new OptionRefused(
      `DATABASE_URL was ${JSON.stringify(withoutPassword(options.databaseUrl))}; to ${toBeThereTo}, it must name a store that exists.`,
    );
  }
  // An older service may be running on a store that exists: bringing it up to date is for the service of this version to do.
  await container.get(Plugins).openStorage({ migrate: toBeThereTo === undefined && isThere !== true });
  try {
    await doing(container);
  } finally {
    await storage.close();
  }
}

async function printOpenApi(form: 'json' | 'yaml'): Promise<void> {
  const options = optionsFrom(process.env);
  const container = await compose(options);
  process.stdout.write(
    `${await printDocument(form, container.get(OperationsToken), httpSettings(options, container), 2)}\n`,
  );
}
