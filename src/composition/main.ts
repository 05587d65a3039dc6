import { readFileSync } from 'node:fs';
import type { Container } from 'inversify';
import type { ConformanceChoice } from '../adapters/cli/conformance-command.ts';
import { commandLine, program } from '../adapters/cli/program.ts';
import type { Terminal } from '../adapters/cli/terminal.ts';
import { printDocument } from '../adapters/http/endpoints/document-endpoints.ts';
import { InMemoryStorage } from '../adapters/in-memory/storage.ts';
import { parseDateTime } from '../api/date-time.ts';
import { Auditor } from '../application/auditor.ts';
import { KeyDesk, KeyNotFound, KeyRefused } from '../application/key-desk.ts';
import { Log } from '../application/ports/log.ts';
import { Storage, StorageRefused } from '../application/ports/storage.ts';
import { conformanceEvents, reportOf } from '../conformance/command/run.ts';
import { AdapterUnusable, SUBJECTS } from '../conformance/suites.ts';
import { compose } from './compose.ts';
import { createPetstore } from './create-petstore.ts';
import { httpSettings } from './http-settings.ts';
import { OptionRefused, optionsFrom, unknownVariables } from './options.ts';
import { Plugins, withoutUnhandledRejections } from './plugins.ts';
import { withoutPassword } from './settings/service-settings.ts';
import { OperationsToken } from './tokens.ts';

const TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exit: (code) => process.exit(code),
  exitCode: (code) => {
    process.exitCode = code;
  },
};

/** They shut the service down. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long open handles may keep the process alive after the service has closed, in milliseconds. */
const EXIT_TIMEOUT_MS = 1_000;

/** Errors that the operator can correct: the message is enough, without a stack. */
const OPERATOR_ERRORS = [OptionRefused, StorageRefused, KeyRefused, KeyNotFound, AdapterUnusable] as const;

/** Runs the command line. An invalid configuration or request prints one line and sets exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    const keys = { withKeyDesk, parseDateTime };
    const commands = {
      version: packageVersion(),
      serve,
      audit,
      printDocument: printOpenApi,
      keys,
      conformance: {
        subjects: SUBJECTS,
        reportOf,
        run: ({ only, ...choice }: ConformanceChoice) =>
          conformanceEvents({ ...choice, only: SUBJECTS.find((subject) => subject === only) }),
      },
    };
    await program(commands, TERMINAL).parseAsync(commandLine(argv));
  } catch (error) {
    if (!(error instanceof Error && OPERATOR_ERRORS.some((OperatorError) => error instanceof OperatorError)))
      throw error;
    process.exitCode = 2;
    // A module of another team may have left handles open, or may still be running.
    const lines = error.message.split('\n').map((line) => `petstore: ${line}\n`);
    process.stderr.write(lines.join(''), () => process.exit());
  }
}

/** A reader such as `head` may close a pipe early. Commands still end with their exit code, and the service keeps serving. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
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
    // A second signal, of either kind, ends the process at once.
    for (const each of SIGNALS) process.removeListener(each, stop);
    log.info('shutting down', { signal });
    const closed = petstore.close().then(
      () => log.info('shutdown complete'),
      (error: unknown) => {
        log.error('shutdown failed', { error });
        process.exitCode = 1;
      },
    );
    // A connection whose other side is silent would keep the process alive.
    void closed.then(() => setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref());
  };
  for (const each of SIGNALS) process.on(each, stop);
  // A supervisor that waits for this line may send a signal right after it.
  log.info('the petstore is ready', { url: petstore.url, docs: `${petstore.url}/docs` });
}

async function audit(): Promise<void> {
  await withStore({ mustExistTo: 'audit' }, async (container) => {
    const { pets, findings } = await container.get(Auditor).audit();
    for (const { petId, rule, message } of findings) {
      process.stdout.write(`${petId === undefined ? 'store' : `pet ${petId}`}: ${rule}: ${message}\n`);
    }
    process.stdout.write(`${pets} pets audited, ${findings.length} rules broken\n`);
    if (findings.length > 0) process.exitCode = 1;
  });
}

async function withKeyDesk(
  action: (desk: KeyDesk) => Promise<void>,
  mayCreate?: 'may create the store',
): Promise<void> {
  const mustExistTo = mayCreate ? undefined : 'manage its keys';
  await withStore({ mustExistTo, mustPersist: true }, (container) => action(container.get(KeyDesk)));
}

/** What a command requires of the store: that it exists already, for a purpose, and that it persists changes. */
interface Need {
  readonly mustExistTo: string | undefined;
  readonly mustPersist?: true;
}

async function withStore(
  { mustExistTo, mustPersist }: Need,
  action: (container: Container) => Promise<void>,
): Promise<void> {
  const options = optionsFrom(process.env);
  // Commands use the primary only.
  const container = await compose({ ...options, postgresReplicas: [] });
  const storage = container.get(Storage);
  if (mustPersist && storage instanceof InMemoryStorage) {
    throw new OptionRefused(
      'DATABASE_URL was "memory:", which stores no keys; set it to sqlite: and the path of the file that the service uses, or to the postgresql: address.',
    );
  }
  const isThere = await storage.isThere?.();
  if (mustExistTo !== undefined && isThere === false) {
    throw new OptionRefused(
      `DATABASE_URL was ${JSON.stringify(withoutPassword(options.databaseUrl))}; to ${mustExistTo}, it must name a store that exists.`,
    );
  }
  // An older service may be running on an existing store, so only the service itself migrates it.
  await container.get(Plugins).openStorage({ migrate: mustExistTo === undefined && isThere !== true });
  try {
    await action(container);
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
