import { Command } from 'commander';
import { addConformanceCommand, type ConformanceTools } from './conformance-command.ts';
import { addKeyCommands, type KeyTools } from './key-commands.ts';
import type { Terminal } from './terminal.ts';

/** What can be done from a terminal. The composition says how. */
export interface Commands {
  serve(): Promise<void>;
  audit(): Promise<void>;
  printDocument(form: 'json' | 'yaml'): Promise<void>;
  readonly keys: KeyTools;
  readonly conformance: ConformanceTools;
}

/**
 * The command line, with the same use cases behind it as the HTTP interface. What it cannot understand ends the process
 * with one line and exit code 2.
 */
export function program({ serve, audit, printDocument, keys, conformance }: Commands, terminal: Terminal): Command {
  const petstore = new Command('petstore')
    .description(
      'A petstore whose stock never oversells. Settings come from environment variables; see docs/operating.md.',
    )
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(`petstore: ${oneLine(text)}\n`),
    })
    .exitOverride(({ exitCode }) => terminal.exit(exitCode === 0 ? 0 : 2));
  petstore.command('serve', { isDefault: true }).description('run the service (the default)').action(serve);
  petstore
    .command('audit')
    .description('recompute the rules of stock for the whole store; exits with 1 if a pet breaks one')
    .action(audit);
  petstore
    .command('openapi')
    .description('print the OpenAPI document of the service as it is set')
    .option('--yaml', 'as YAML', false)
    .action(({ yaml }: { yaml: boolean }) => printDocument(yaml ? 'yaml' : 'json'));
  addKeyCommands(petstore, keys, terminal);
  addConformanceCommand(petstore, conformance, terminal);
  return petstore;
}

function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
