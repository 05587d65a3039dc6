import { setTimeout as pause } from 'node:timers/promises';
import { StorageUnavailable, UnitOfWork } from 'petstore-service/ports/unit-of-work';
import { Busy } from './database.js';
import { writeScope } from './write-scope.js';

/** Runs the units of work of this process one after the other. The lock of SQLite excludes those of other processes. */
export class AcmeUnitOfWork extends UnitOfWork {
  #database;
  #limit;

  /** `limit`: how many milliseconds a unit of work may take. */
  constructor(database, limit = 15_000) {
    super();
    this.#database = database;
    this.#limit = limit;
  }

  write(work) {
    const unit = this.#database.lastUnit.then(() => this.#run(work));
    this.#database.lastUnit = unit.catch(() => undefined);
    return unit;
  }

  async #run(work) {
    const { writer } = this.#database;
    const { promise: aborted, reject: abort } = Promise.withResolvers();
    this.#database.abortUnit = abort;
    const late = new StorageUnavailable(`A unit of work took longer than ${this.#limit} ms.`);
    const timer = setTimeout(abort, this.#limit, late);
    let hasEnded = false;
    /** What the scope asks. After the end, it throws. */
    const query = (sql, ...values) => {
      if (hasEnded) throw new Error('This unit of work has ended; its scope can no longer be used.');
      return writer.all(sql, ...values);
    };
    try {
      await Promise.race([begin(query), aborted]);
      const result = await Promise.race([work(writeScope(query)), aborted]);
      query('COMMIT');
      return result;
    } finally {
      hasEnded = true;
      clearTimeout(timer);
      if (writer.isInTransaction) writer.execute('ROLLBACK');
    }
  }
}

/** Takes the lock of the file. Another process may have it: this one waits without blocking its event loop. */
async function begin(query) {
  for (;;) {
    try {
      query('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await pause(2);
    }
  }
}
