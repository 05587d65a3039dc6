import { statSync } from 'node:fs';
import { program } from '../adapters/cli/program.ts';
import { printDocument } from '../adapters/http/pages/document-pages.ts';
import { Auditor } from '../application/auditor.ts';
import { Log } from '../application/ports/log.ts';
import { Storage, StorageRefused } from '../application/ports/storage.ts';
import { compose } from './compose.ts';
import { createPetstore } from './create-petstore.ts';
import { OptionRefused, optionsFrom, unknownVariables } from './options.ts';
import { OperationsToken } from './tokens.ts';

/** Runs the command line. What cannot be done because of how it is set ends with one line and exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await program({ serve, audit, printDocument: printOpenApi }).parseAsync(argv);
  } catch (error) {
    if (!(error instanceof OptionRefused || error instanceof StorageRefused)) throw error;
    process.stderr.write(`petstore: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function serve(): Promise<void> {
  const petstore = await createPetstore(optionsFrom(process.env));
  const log = petstore.container.get(Log);
  for (const name of unknownVariables(process.env)) log.warn('there is no such setting', { variable: name });
  log.info('the petstore is open', { url: petstore.url, docs: `${petstore.url}/docs` });

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
}

async function audit(): Promise<void> {
  const options = optionsFrom(process.env);
  const file = options.databaseUrl.slice('sqlite:'.length);
  if (options.databaseUrl === 'memory:' || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new OptionRefused(
      `DATABASE_URL was ${JSON.stringify(options.databaseUrl)}; to audit, it must name a store that exists.`,
    );
  }
  const container = await compose(options);
  const storage = container.get(Storage);
  await storage.open();
  try {
    const { pets, findings } = await container.get(Auditor).audit();
    for (const { petId, rule, message } of findings) process.stdout.write(`pet ${petId}: ${rule}: ${message}\n`);
    process.stdout.write(`${pets} pets audited, ${findings.length} rules broken\n`);
    if (findings.length > 0) process.exitCode = 1;
  } finally {
    await storage.close();
  }
}

async function printOpenApi(form: 'json' | 'yaml'): Promise<void> {
  const options = optionsFrom(process.env);
  const container = await compose(options);
  process.stdout.write(`${await printDocument(form, container.get(OperationsToken), options)}\n`);
}
