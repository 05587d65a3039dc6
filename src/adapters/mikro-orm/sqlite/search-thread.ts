import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import type { TableSearch } from '../session.ts';
import { asStorageError } from './sqlite-errors.ts';

export interface SearchLimits {
  /** How many searches may wait for the one that runs. */
  readonly waiting: number;
  /** How long one may take, in milliseconds. */
  readonly time: number;
}

const DEFAULTS: SearchLimits = { waiting: 32, time: 5_000 };

type Reply =
  | { readonly rows: readonly unknown[] }
  | { readonly rows?: undefined; readonly code: string; readonly message: string };

interface Job {
  readonly search: TableSearch<unknown>;
  resolve(rows: readonly unknown[]): void;
  reject(error: unknown): void;
}

/**
 * Runs searches one after the other on a thread with its own read-only connection, so that they do not hold the event
 * loop. The thread starts with the first search. It is ended when a search takes too long, and when the storage closes.
 */
export class SearchThread {
  readonly #file: string;
  readonly #limits: SearchLimits;
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: string, limits = DEFAULTS) {
    this.#file = file;
    this.#limits = limits;
  }

  /** @throws {StorageUnavailable} if too many searches wait, if this one takes too long, and after {@link close} */
  run(search: TableSearch<unknown>): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) reject(new StorageUnavailable('The storage is not open.'));
      else if (this.#waiting.length >= this.#limits.waiting) {
        reject(new StorageUnavailable(`More than ${this.#limits.waiting} searches are waiting.`));
      } else {
        this.#waiting.push({ search, resolve, reject });
        this.#next();
      }
    });
  }

  /** Rejects what runs and waits, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = this.#waiting.splice(0);
    const ended = this.#end(new StorageUnavailable('The storage was closed.'));
    for (const { reject } of waiting) reject(new StorageUnavailable('The storage was closed.'));
    await ended;
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#running = job;
    this.#worker ??= this.#start();
    // A search that runs keeps the process alive, an idle thread does not.
    this.#worker.ref();
    this.#worker.postMessage(job.search);
    this.#timer = setTimeout(() => {
      void this.#end(new StorageUnavailable(`A search took longer than ${this.#limits.time} ms.`));
    }, this.#limits.time);
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`search-worker.${extension}`, import.meta.url), {
      workerData: { file: this.#file },
    });
    worker.on('message', (reply: Reply) => {
      if (worker !== this.#worker) return;
      worker.unref();
      const { resolve, reject } = this.#settle();
      if (reply.rows) resolve(reply.rows);
      else reject(asStorageError(Object.assign(new Error(reply.message), { code: reply.code })));
      this.#next();
    });
    worker.on('error', (error) => {
      if (worker === this.#worker) void this.#end(asStorageError(error));
    });
    return worker;
  }

  /** Ends the thread, whatever it does, and rejects what runs. The next search starts a new thread. */
  async #end(reason: unknown): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settle().reject(reason);
    this.#next();
    await worker?.terminate();
  }

  #settle(): Pick<Job, 'resolve' | 'reject'> {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    return job ?? { resolve: () => undefined, reject: () => undefined };
  }
}
