import { Command } from 'commander';

/** What can be done from a terminal. The composition says how. */
export interface Commands {
  serve(): Promise<void>;
  audit(): Promise<void>;
  printDocument(form: 'json' | 'yaml'): Promise<void>;
}

/** The command line, with the same use cases behind it as the HTTP interface. */
export function program({ serve, audit, printDocument }: Commands): Command {
  const petstore = new Command('petstore').description(
    'A petstore whose stock never oversells. Settings come from environment variables; see docs/operating.md.',
  );
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
  return petstore;
}
