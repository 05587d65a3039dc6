import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeyDesk, KeyView } from '../../application/key-desk.ts';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import type { Terminal } from './terminal.ts';

/** What the commands about keys need from whoever composes them. */
export interface KeyTools {
  /**
   * Lets something be done at the key desk of the store that is set, which is open for as long as that takes. Without
   * `mayBegin`, there must be such a store already.
   */
  atKeyDesk(doing: (desk: KeyDesk) => Promise<void>, mayBegin?: 'may begin a store'): Promise<void>;
  /** Reads a date-time of RFC 3339 into milliseconds since 1970-01-01T00:00:00Z; `undefined` for anything else. */
  parseDateTime(text: string): number | undefined;
}

/** `petstore keys …`: what scripts use goes to standard output, what people are told to standard error. */
export function addKeyCommands(petstore: Command, { atKeyDesk, parseDateTime }: KeyTools, terminal: Terminal): void {
  const keys = petstore.command('keys').description('make, list and end API keys');

  const print = (text: string) => terminal.out(`${text}\n`);
  const tell = (text: string) => terminal.err(`${text}\n`);
  const instant = (text: string): number => {
    const parsed = parseDateTime(text);
    if (parsed === undefined) throw new InvalidArgumentError('It must be like 2027-12-31T23:59:59Z.');
    return parsed;
  };

  keys
    .command('create')
    .description('make a key, and print its secret: this once')
    .requiredOption('--name <name>', 'what people shall call it')
    .addOption(new Option('--scope <scope...>', 'what it opens').choices(SCOPES).makeOptionMandatory())
    .option('--expires <instant>', 'from when on it is of no use (RFC 3339)', instant)
    .action(({ name, scope, expires }: { name: string; scope: Scope[]; expires?: number }) =>
      atKeyDesk(async (desk) => {
        const { key, secret } = await desk.issue({ name, scopes: scope, expiresAt: expires });
        tell(`${sentenceOf(key)} Keep it safe: it is shown this once.`);
        print(secret);
      }, 'may begin a store'),
    );

  keys
    .command('list')
    .description('show every key, without its secret')
    .option('--json', 'as JSON', false)
    .action(({ json }: { json: boolean }) =>
      atKeyDesk(async (desk) => {
        const all = await desk.list();
        print(json ? JSON.stringify(all.map(shown), undefined, 2) : table(all));
      }),
    );

  keys
    .command('revoke')
    .description('end a key for ever, at once')
    .argument('<id>', 'its number', keyId)
    .action((id: number) => atKeyDesk(async (desk) => tell(sentenceOf(await desk.revoke(id)))));

  keys
    .command('expire')
    .description('give a key another end, or none')
    .argument('<id>', 'its number', keyId)
    .argument('<instant|never>', 'when (RFC 3339)', (text: string) => (text === 'never' ? text : instant(text)))
    .action((id: number, end: number | 'never') =>
      atKeyDesk(async (desk) => tell(sentenceOf(await desk.expireAt(id, end === 'never' ? undefined : end)))),
    );
}

function keyId(text: string): number {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new InvalidArgumentError('It must be the number of a key, such as 1.');
  return id;
}

function formatted(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

/** A key as scripts see it: what has no value is left out. */
function shown({ createdAt, expiresAt, revokedAt, ...key }: KeyView) {
  return {
    ...key,
    createdAt: formatted(createdAt),
    expiresAt: formatted(expiresAt),
    revokedAt: formatted(revokedAt),
  };
}

function sentenceOf({ id, name, scopes, state, expiresAt, revokedAt }: KeyView): string {
  const key = `Key ${id}, ${JSON.stringify(name)},`;
  if (state === 'revoked') return `${key} was revoked at ${formatted(revokedAt)}.`;
  if (state === 'expired') return `${key} expired at ${formatted(expiresAt)}.`;
  return `${key} opens ${scopes.join(', ')}, and ${expiresAt === undefined ? 'does not expire' : `expires at ${formatted(expiresAt)}`}.`;
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
