import { setTimeout as pause } from 'node:timers/promises';
import { abortable } from 'petstore-service/application/abortable';
import { UnitOfWork } from 'petstore-service/ports/unit-of-work';
import { Busy } from './database.js';
import { writeScope } from './write-scope.js';

/** Runs the units of work of this process one after the other. The lock of SQLite excludes those of other processes. */
export class AcmeUnitOfWork extends UnitOfWork {
  #database;

  constructor(database) {
    super();
    this.#database = database;
  }

  write(work, { signal } = {}) {
    const earlier = this.#database.lastUnit;
    const unit = abortable(earlier, signal).then(() => this.#run(work, signal));
    this.#database.lastUnit = Promise.allSettled([earlier, unit]);
    return unit;
  }

  async #run(work, signal) {
    const { writer } = this.#database;
    const { promise: closed, reject: abort } = Promise.withResolvers();
    this.#database.abortUnit = abort;
    let hasEnded = false;
    /** What the scope asks. After the end, it throws. */
    const query = (sql, ...values) => {
      if (hasEnded) throw new Error('This unit of work has ended; its scope can no longer be used.');
      return writer.all(sql, ...values);
    };
    try {
      await Promise.race([abortable(begin(query), signal), closed]);
      const result = await Promise.race([abortable(work(writeScope(query)), signal), closed]);
      signal?.throwIfAborted();
      query('COMMIT');
      return result;
    } finally {
      hasEnded = true;
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
