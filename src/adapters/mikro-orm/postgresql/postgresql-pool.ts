import { createHash } from 'node:crypto';
import type { TextQuery } from '../dialect.ts';
import type { CompiledStatements } from '../statement.ts';

/** pg's result of a statement, as far as it is used here. */
export interface PostgresqlResult {
  /** The command that was executed; a `commit` of a transaction that failed returns `ROLLBACK`. */
  readonly command: string;
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** A connection of pg that was taken from a pool, as far as it is used here. */
export interface PostgresqlClient {
  query(statement: string | PostgresqlStatement): Promise<PostgresqlResult>;
  /** The server's last report: idle, in a transaction, or in one that failed. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  /** The stream that pg writes to. It can hold back what is written, so that several statements take one system call. */
  readonly connection?: { readonly stream: { cork(): void; uncork(): void } };
  /** Returns it to the pool, or closes it if it is broken. */
  release(broken?: boolean): void;
}

/** A pool of pg, as far as it is used here. MikroORM opens and closes it, and listens to the errors of its connections. */
export interface PostgresqlPool {
  /** Whether `end` was called. */
  readonly ending: boolean;
  connect(): Promise<PostgresqlClient>;
  end(): Promise<void>;
}

/** A pool, and the statements that are compiled for it. */
export interface PostgresqlDatabase {
  readonly pool: PostgresqlPool;
  readonly statements: CompiledStatements;
  /** Whether Citus distributes the pets: then a statement that locks or writes rows must be about one pet. */
  readonly isDistributed: boolean;
  /** Whether connections have the time limits that they were opened with. A pooler may ignore them. */
  readonly hasTimeouts: boolean;
}

export interface PostgresqlStatement {
  /** Each connection prepares it once under this name: a digest of the text, so that it never names another statement. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly types: { getTypeParser(oid: number): (text: string) => unknown };
}

/** `bigint` and `numeric`, which pg returns as texts: every value here fits a number exactly. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

const BYTEA = 17;

const TYPES: PostgresqlStatement['types'] = {
  getTypeParser(oid) {
    if (oid === BYTEA) return readBytes;
    return NUMBERS.has(oid) ? Number : readText;
  },
};

const readText = (text: string) => text;

/** Reads both forms that the server's `bytea_output` knows: hexadecimal digits, and characters with escapes. */
function readBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
  const unescaped = text.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(unescaped, 'latin1');
}

const prepared = new Map<string, { readonly name: string; readonly text: string }>();

/** The statement for a text with `$1`, `$2` … or `?` in the places of its values. */
export function statementOf({ sql, values }: TextQuery<unknown>): PostgresqlStatement {
  let known = prepared.get(sql);
  if (!known) {
    let place = 0;
    const text = sql.replaceAll('?', () => `$${++place}`);
    known = { name: `petstore_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text };
    prepared.set(sql, known);
  }
  return { name: known.name, text: known.text, values, types: TYPES };
}
