/* The package has no types. This is the part of it that is used here; MikroORM opens the other connections. */

declare module 'better-sqlite3' {
  type Database = import('./sqlite-database.ts').SqliteDatabase & { close(): void };
  interface SqliteError extends Error {
    readonly code: string;
  }
  const Database: {
    new (file: string, options?: { readonly readonly?: boolean }): Database;
    readonly SqliteError: new (message: string, code: string) => SqliteError;
  };
  export default Database;
}
