import { Command } from 'commander';
import { addConformanceCommand, type ConformanceTools } from './conformance-command.ts';
import { addKeyCommands, type KeyTools } from './key-commands.ts';
import type { Terminal } from './terminal.ts';

/** The commands, as the composition implements them. */
export interface Commands {
  /** The version of the package. */
  readonly version: string;
  serve(): Promise<void>;
  audit(): Promise<void>;
  printDocument(form: 'json' | 'yaml'): Promise<void>;
  readonly keys: KeyTools;
  readonly conformance: ConformanceTools;
}

/**
 * The command line, an adapter to the same use cases as HTTP. An invalid command ends the process with one line and exit code 2.
 * Without a command, {@link commandLine} adds `serve`.
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

/** The command line with a command: the default is `serve`. (Commander's own default takes a mistyped command as its argument.) */
export function commandLine(argv: readonly string[]): readonly string[] {
  return argv.length > 2 ? argv : [...argv, 'serve'];
}

/** Commander suggests a similar command; where there is none, the line names the list of commands. */
function helpful(line: string): string {
  const hasNoSuggestion = line.startsWith('unknown command') && !line.includes('Did you mean');
  return hasNoSuggestion ? `${line}; petstore --help lists the commands` : line;
}

function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
