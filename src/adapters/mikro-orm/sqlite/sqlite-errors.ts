import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** The result codes by which SQLite says that the file, the disk or another process is in the way (https://www.sqlite.org/rescode.html). */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL|NOMEM|PERM|AUTH|NOLFS|INTERRUPT)/;

export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether another process is in the way, also where that has become a {@link StorageUnavailable}. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error instanceof StorageUnavailable ? error.cause : error).startsWith('SQLITE_BUSY');
}

/** The error as the ports know it: what the storage cannot help becomes {@link StorageUnavailable}, all else stays. */
export function asStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (UNAVAILABLE.test(code)) return new StorageUnavailable(`The database file failed with ${code}.`, { cause: error });
  const closed = error instanceof TypeError && error.message.includes('connection is not open');
  return closed ? new StorageUnavailable('The storage is closed.', { cause: error }) : error;
}
