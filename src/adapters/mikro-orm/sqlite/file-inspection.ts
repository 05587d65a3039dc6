import { statSync } from 'node:fs';
import { StorageRefused } from '../../../application/ports/storage.ts';
import { APPLICATION_ID } from './file-mark.ts';
import { migrations } from './migrations.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** A larger file is not checked at every start, because that would take longer than the start itself. */
const FULL_CHECK_UP_TO_BYTES = 64 * 1024 * 1024;

/**
 * Checks that the file belongs to this service, is not damaged and is not newer than this program. Only reads. Returns
 * whether the file has tables, and whether their schema is current. @throws {StorageRefused}
 */
export function inspectFile(database: SqliteDatabase, file: string): 'empty' | 'old' | 'current' {
  const names = column(database, "select name from sqlite_schema where type = 'table'");
  if (names.length === 0) return 'empty';
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new StorageRefused(
      `The database file ${file} belongs to another program; set DATABASE_URL to a file of this service or to one that does not exist yet.`,
    );
  }

  const known = new Set(migrations.map(({ name }) => name));
  const done = column(database, 'select name from mikro_orm_migrations order by id');
  const unknown = done.filter((name) => !known.has(String(name)));
  if (unknown.length > 0) {
    throw new StorageRefused(
      `The database file ${file} was written by a newer version of this service (it knows the migration ${unknown[0]}); start that version, or set DATABASE_URL to another file.`,
    );
  }

  const state = done.length === migrations.length ? 'current' : 'old';
  if (statSync(file).size > FULL_CHECK_UP_TO_BYTES) return state;
  const [verdict] = database.pragma('quick_check(1)') as { quick_check: string }[];
  if (verdict?.quick_check !== 'ok') {
    throw new StorageRefused(
      `The database file ${file} is damaged; restore it from a backup, or set DATABASE_URL to another file.`,
    );
  }
  return state;
}

function column(database: SqliteDatabase, sql: string): unknown[] {
  return (database.prepare(sql).all() as { name: unknown }[]).map(({ name }) => name);
}
