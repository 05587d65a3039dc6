import Database from 'better-sqlite3';

// Takes the write lock of a SQLite file, prints a line, and releases it when its input ends.
const database = new Database(process.argv[2] ?? '');
database.pragma('busy_timeout = 20000');
database.exec('begin immediate');
console.log('held');
process.stdin.once('end', () => database.close()).resume();
