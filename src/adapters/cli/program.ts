import { Command } from 'commander';
import { addConformanceCommand, type ConformanceTools } from './conformance-command.ts';
import { addKeyCommands, type KeyTools } from './key-commands.ts';
import type { Terminal } from './terminal.ts';

/** What can be done from a terminal. The composition says how. */
export interface Commands {
  /** Of the package. */
  readonly version: string;
  serve(): Promise<void>;
  audit(): Promise<void>;
  printDocument(form: 'json' | 'yaml'): Promise<void>;
  readonly keys: KeyTools;
  readonly conformance: ConformanceTools;
}

/**
 * The command line, with the same use cases behind it as the HTTP interface. What it cannot understand ends the process
 * with one line and exit code 2. Without a command, {@link commandLine} says that it is to serve.
 */
export function program(
  { version, serve, audit, printDocument, keys, conformance }: Commands,
  terminal: Terminal,
): Command {
  const petstore = new Command('petstore')
    .description(
      'A petstore service whose stock never oversells. Environment variables configure it; see docs/operating.md.',
    )
    .version(version, '-V, --version', 'print the version of the package')
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(`petstore: ${helpful(oneLine(text))}\n`),
    })
    .exitOverride(({ exitCode }) => terminal.exit(exitCode === 0 ? 0 : 2));
  petstore.command('serve').description('run the service (the default)').action(serve);
  petstore
    .command('audit')
    .description('check the stock rules for every pet in the store; exits with 1 if a pet breaks one')
    .action(audit);
  petstore
    .command('openapi')
    .description('print the OpenAPI document of the configured service')
    .option('--yaml', 'print YAML instead of JSON', false)
    .action(({ yaml }: { yaml: boolean }) => printDocument(yaml ? 'yaml' : 'json'));
  addKeyCommands(petstore, keys, terminal);
  addConformanceCommand(petstore, conformance, terminal);
  return petstore;
}

/** The command line with a command: the default is `serve`. (Commander's own default takes a mistyped command for its argument.) */
export function commandLine(argv: readonly string[]): readonly string[] {
  return argv.length > 2 ? argv : [...argv, 'serve'];
}

/** Commander suggests what is near; where nothing is, it helps to know where all commands are listed. */
function helpful(line: string): string {
  const isAtALoss = line.startsWith('unknown command') && !line.includes('Did you mean');
  return isAtALoss ? `${line}; petstore --help lists the commands` : line;
}

function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
