import { Pool } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { MakeLimiter } from './flexible-rate-limiter.ts';

/** How long a count may take, in milliseconds. After that, memory counts instead. */
const TIMEOUT_MS = 500;

const CONNECTIONS = 4;

/** Counts in the table `rate_limits` of a PostgreSQL database, so that all nodes on it count together. */
export class PostgresCounting {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool({
      connectionString: url,
      max: CONNECTIONS,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    // A count is not worth a wait for the disk. The table is unlogged, so a crash of the server empties it anyway.
    this.#pool.on('connect', (client) => void client.query('set synchronous_commit = off').catch(() => undefined));
    // An idle connection broke: the next count opens another one.
    this.#pool.on('error', () => undefined);
  }

  readonly makeLimiter: MakeLimiter = (options) =>
    new RateLimiterPostgres({
      ...options,
      storeClient: this.#pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      // The migrations of the storage create it, like every other table.
      tableCreated: true,
    });

  close(): Promise<void> {
    return this.#pool.end();
  }
}
