import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeyDesk, KeyView } from '../../application/key-desk.ts';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import type { Terminal } from './terminal.ts';

/** What the key commands need from the composition. */
export interface KeyTools {
  /**
   * Opens the configured store, calls `action` with its key desk, and closes it. Without `mayCreate`, the store must exist
   * already.
   */
  withKeyDesk(action: (desk: KeyDesk) => Promise<void>, mayCreate?: 'may create the store'): Promise<void>;
  /** Reads a date-time of RFC 3339 into milliseconds since 1970-01-01T00:00:00Z; `undefined` for anything else. */
  parseDateTime(text: string): number | undefined;
}

/** `petstore keys …`: output for scripts goes to standard output, messages for people to standard error. */
export function addKeyCommands(petstore: Command, { withKeyDesk, parseDateTime }: KeyTools, terminal: Terminal): void {
  const keys = petstore.command('keys').description('create, list and revoke API keys');

  const print = (text: string) => terminal.out(`${text}\n`);
  const tell = (text: string) => terminal.err(`${text}\n`);
  const instant = (text: string): number => {
    const parsed = parseDateTime(text);
    if (parsed === undefined)
      throw new InvalidArgumentError('It must be an RFC 3339 date-time, such as 2027-12-31T23:59:59Z.');
    return parsed;
  };

  keys
    .command('create')
    .description('create a key and print its secret, which is shown only once')
    .requiredOption('--name <name>', 'the name of the key')
    .addOption(new Option('--scope <scope...>', 'the scopes of the key').choices(SCOPES).makeOptionMandatory())
    .option('--expires <instant>', 'when the key expires (RFC 3339)', instant)
    .action(({ name, scope, expires }: { name: string; scope: Scope[]; expires?: number }) =>
      withKeyDesk(async (desk) => {
        const { key, secret } = await desk.issue({ name, scopes: scope, expiresAt: expires });
        tell(`${summaryOf(key)} Store the secret safely: it is shown only once.`);
        print(secret);
      }, 'may create the store'),
    );

  keys
    .command('list')
    .description('list all keys, without their secrets')
    .option('--json', 'print JSON instead of a table', false)
    .action(({ json }: { json: boolean }) =>
      withKeyDesk(async (desk) => {
        const all = await desk.list();
        print(json ? JSON.stringify(all.map(toJson), undefined, 2) : table(all));
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key permanently, with immediate effect')
    .argument('<id>', 'the id of the key', keyId)
    .action((id: number) => withKeyDesk(async (desk) => tell(summaryOf(await desk.revoke(id)))));

  keys
    .command('expire')
    .description('change or remove the expiry of a key')
    .argument('<id>', 'the id of the key', keyId)
    .argument('<instant|never>', 'the new expiry (RFC 3339), or never', (text: string) =>
      text === 'never' ? text : instant(text),
    )
    .action((id: number, end: number | 'never') =>
      withKeyDesk(async (desk) => tell(summaryOf(await desk.expireAt(id, end === 'never' ? undefined : end)))),
    );
}

function keyId(text: string): number {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new InvalidArgumentError('It must be the id of a key, such as 1.');
  return id;
}

function formatted(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

/** A key for scripts, without the members that have no value. */
function toJson({ createdAt, expiresAt, revokedAt, ...key }: KeyView) {
  return {
    ...key,
    createdAt: formatted(createdAt),
    expiresAt: formatted(expiresAt),
    revokedAt: formatted(revokedAt),
  };
}

function summaryOf({ id, name, scopes, state, expiresAt, revokedAt }: KeyView): string {
  const key = `Key ${id}, ${JSON.stringify(name)},`;
  if (state === 'revoked') return `${key} was revoked at ${formatted(revokedAt)}.`;
  if (state === 'expired') return `${key} expired at ${formatted(expiresAt)}.`;
  return `${key} has the scopes ${scopes.join(', ')} and ${expiresAt === undefined ? 'does not expire' : `expires at ${formatted(expiresAt)}`}.`;
}

function table(keys: readonly KeyView[]): string {
  const rows = [
    ['id', 'name', 'scopes', 'created', 'expires', 'state'],
    ...keys.map(({ id, name, scopes, createdAt, expiresAt, state }) => [
      String(id),
      name,
      scopes.join(' '),
      formatted(createdAt) ?? '',
      formatted(expiresAt) ?? 'never',
      state,
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
