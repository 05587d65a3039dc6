import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** The result codes for a failure of the file or the disk, or a lock of another process (https://www.sqlite.org/rescode.html). */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL|NOMEM|PERM|AUTH|NOLFS|INTERRUPT)/;

export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether another process holds the lock; also true for the {@link StorageUnavailable} that wraps such an error. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error instanceof StorageUnavailable ? error.cause : error).startsWith('SQLITE_BUSY');
}

/** Converts an error of the file, the disk or a lock to {@link StorageUnavailable}; returns any other error unchanged. */
export function asStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (UNAVAILABLE.test(code)) return new StorageUnavailable(`The database file failed with ${code}.`, { cause: error });
  const closed = error instanceof TypeError && error.message.includes('connection is not open');
  return closed ? new StorageUnavailable('The storage is closed.', { cause: error }) : error;
}
