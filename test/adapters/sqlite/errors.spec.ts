import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asStorageError } from '../../../src/adapters/mikro-orm/sqlite/sqlite-errors.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';

/** The result codes of https://www.sqlite.org/rescode.html for a failure of the file or the disk, or for a lock of another process. */
const OUTAGES = [
  'BUSY',
  'BUSY_SNAPSHOT',
  'BUSY_TIMEOUT',
  'LOCKED',
  'LOCKED_SHAREDCACHE',
  'FULL',
  'IOERR',
  'IOERR_READ',
  'IOERR_SHORT_READ',
  'IOERR_WRITE',
  'IOERR_FSYNC',
  'IOERR_SHMSIZE',
  'CORRUPT',
  'CORRUPT_INDEX',
  'NOTADB',
  'READONLY',
  'READONLY_DBMOVED',
  'CANTOPEN',
  'PROTOCOL',
  'NOMEM',
  'PERM',
  'AUTH',
  'NOLFS',
  'INTERRUPT',
];

/** Those for a wrong statement or value. */
const MISTAKES = ['ERROR', 'CONSTRAINT_UNIQUE', 'CONSTRAINT_CHECK', 'MISMATCH', 'MISUSE', 'RANGE', 'TOOBIG', 'SCHEMA'];

const errorOf = (code: string) => new Database.SqliteError('something', `SQLITE_${code}`);

describe('An error of SQLite', () => {
  for (const code of OUTAGES) {
    it(`becomes StorageUnavailable if it is ${code}`, () => {
      const cause = errorOf(code);

      const error = asStorageError(cause);

      expect(error).to.be.instanceOf(StorageUnavailable).with.property('cause', cause);
      expect((error as Error).message).to.equal(`The database file failed with SQLITE_${code}.`);
    });
  }

  for (const code of MISTAKES) {
    it(`is returned unchanged if it is ${code}`, () => {
      const error = errorOf(code);

      expect(asStorageError(error)).to.equal(error);
    });
  }
});
