import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** A conflict with another transaction: nothing was kept, and a retry may succeed (class 40 of PostgreSQL's error codes). */
const CONFLICT = /^(40001|40P01)$/;
/** A row has the same key already. */
export const UNIQUE_VIOLATION = '23505';
/** The server ends the connection, does not accept one now, or has lost the statements that were prepared on it. */
const LOST = /^(08|57P0|25P0[34]|40003|26000|42P05)/;
/**
 * A timeout, no resources, read-only since another server was promoted, damaged, or access denied. 25P02 is the response to every
 * statement after one that failed.
 */
const UNAVAILABLE = /^(08|57|53|58|55P03|25006|25P0[234]|26000|40|28|3D000|42P05|XX00[12])/;
/** Messages of pg about a connection that is lost or cannot be established. */
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/;
/** No connection of the pool became free in time, or the pool has ended. */
const FULL_MESSAGE = /^(timeout exceeded when trying to connect|Cannot use a pool after)/;
const LOST_ERRNO = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN|ACCES)|ENOENT)/;

/** The SQLSTATE of an error of PostgreSQL; empty for any other error. */
export function sqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : '';
}

/**
 * Whether a row violates a unique constraint. Citus names it only in the message, which may be in any language, and adds the number
 * of the shard.
 */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (sqlState(error) !== UNIQUE_VIOLATION) return false;
  const { constraint: reported, message } = error as { readonly constraint?: string; readonly message: string };
  return (reported ?? message).split(/\W+/).some((word) => word.replace(/_\d+$/, '') === constraint);
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

/** Whether the connection is lost; it is then unknown whether the server executed what was sent last. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  if (state !== '') return LOST.test(state);
  return LOST_MESSAGE.test(error.message) || LOST_ERRNO.test(errorNumber(error));
}

/** Node's name of an error of the operating system. */
export function errorNumber(error: unknown): string {
  if (!(error instanceof Error) || sqlState(error) !== '') return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The error as the ports define it: {@link StorageUnavailable} if the database cannot serve, and the error itself otherwise. */
export function asStorageError(error: unknown): unknown {
  const state = sqlState(error);
  if (UNAVAILABLE.test(state))
    return new StorageUnavailable(`The database returned the error ${state}.`, { cause: error });
  return isLost(error) || (error instanceof Error && FULL_MESSAGE.test(error.message))
    ? new StorageUnavailable('The database cannot be reached.', { cause: error })
    : error;
}
