import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** Another transaction was in the way, and nothing was kept: it may go well the next time (class 40 of PostgreSQL's error codes). */
const CONFLICT = /^(40001|40P01)$/;
/** The server ends the connection, does not take it now, or has lost the statements that were prepared on it. */
const LOST = /^(08|57P0|25P0[34]|40003|26000|42P05)/;
/**
 * Waited too long, nothing left to work with, read-only since another node took over, damaged, or not let in. 25P02 follows a
 * statement that failed before, whatever was asked.
 */
const UNAVAILABLE = /^(08|57|53|58|55P03|25006|25P0[234]|26000|40|28|3D000|42P05|XX00[12])/;
/** What pg and Node say of a connection that is gone or cannot be had. */
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/;
/** Nothing came free in time, or never will. */
const FULL_MESSAGE = /^(timeout exceeded when trying to connect|Cannot use a pool after)/;
const LOST_ERRNO = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN|ACCES)|ENOENT)/;

/** The five characters by which PostgreSQL says what happened, or none if it was not PostgreSQL that said something. */
export function sqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : '';
}

export function constraintOf(error: unknown): string {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : '';
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

/** Whether the connection is gone, and with it all knowledge of what became of what was sent last. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  if (state !== '') return LOST.test(state);
  return LOST_MESSAGE.test(error.message) || LOST_ERRNO.test(errorNumber(error));
}

/** The name that Node gives to what the operating system said. */
export function errorNumber(error: unknown): string {
  if (!(error instanceof Error) || sqlState(error) !== '') return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The error as the ports know it: what the storage cannot help becomes {@link StorageUnavailable}, all else stays. */
export function asStorageError(error: unknown): unknown {
  const state = sqlState(error);
  if (UNAVAILABLE.test(state))
    return new StorageUnavailable(`The database returned the error ${state}.`, { cause: error });
  return isLost(error) || (error instanceof Error && FULL_MESSAGE.test(error.message))
    ? new StorageUnavailable('The database cannot be reached.', { cause: error })
    : error;
}
