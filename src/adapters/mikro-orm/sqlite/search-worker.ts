import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { TextQuery } from '../dialect.ts';
import type { TableSearch } from '../session.ts';
import type { SqliteStatement } from './sqlite-database.ts';
import { sqliteCode } from './sqlite-errors.ts';
import { SearchInWindows } from './table-search.ts';

/* The thread of `search-thread.ts`. It only reads, and its statements are short: the thread can be ended between them. */

const { file } = workerData as { readonly file: string };
const database = new Database(file, { readonly: true });
const prepared = new Map<string, SqliteStatement>();

parentPort?.on('message', (search: TableSearch<unknown>) => {
  try {
    parentPort?.postMessage({ rows: rowsOf(search) });
  } catch (error) {
    parentPort?.postMessage({ code: sqliteCode(error), message: error instanceof Error ? error.message : '' });
  }
});

/** Reads in one transaction, so that the rows are of one moment. */
function rowsOf(search: TableSearch<unknown>): readonly unknown[] {
  database.exec('begin');
  try {
    const run = ({ sql, values }: TextQuery<unknown>) => statement(sql).all(...values);
    const [{ n }] = run(search.count) as [{ readonly n: number }];
    if (n <= search.sortable) return run(search.sorted);
    const windows = new SearchInWindows(search, (sql, values) => run({ sql, values }));
    while (!windows.next());
    return windows.rows;
  } finally {
    database.exec('commit');
  }
}

function statement(sql: string): SqliteStatement {
  let found = prepared.get(sql);
  if (!found) prepared.set(sql, (found = database.prepare(sql)));
  return found;
}
