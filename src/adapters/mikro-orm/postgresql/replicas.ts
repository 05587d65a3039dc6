import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../application/ports/log.ts';
import type { TextQuery } from '../dialect.ts';
import type { CompiledStatements } from '../statement.ts';
import { asStorageError, isLost } from './postgresql-errors.ts';
import type { PostgresqlPool } from './postgresql-pool.ts';
import { PostgresqlReadSession, StatementReads } from './read-session.ts';
import { type LogPosition, positionOf, type Replica } from './replica.ts';

/** How long reads wait for replicas that are behind, in milliseconds, unless it is set. */
const MOST_BEHIND_MS = 100;
/** The pause between two questions about that, in milliseconds. */
const ASK_AGAIN_MS = 4;
/** How long the start waits for a replica at least, in milliseconds. */
const PROBE_MS = 1_000;

/**
 * Reads on a replica only if it has replayed everything that was acknowledged on any node when the read began, and on the
 * primary otherwise. All reads that begin in one turn of the event loop ask the primary for its position once, and then the
 * replica. See docs/adr/0011-postgresql.md.
 */
export class ReplicatedReadSession extends StatementReads {
  readonly #pool: PostgresqlPool;
  readonly #primary: PostgresqlReadSession;
  readonly #replicas: readonly Replica[];
  readonly #log: Log;
  readonly #mostBehind: number;
  #rounds = 0;
  /** What the reads that began in this turn of the event loop wait for. */
  #choice: Promise<Replica | undefined> | undefined;
  #isPositionUnknown = false;

  constructor(
    pool: PostgresqlPool,
    statements: CompiledStatements,
    replicas: readonly Replica[],
    log: Log,
    mostBehind = MOST_BEHIND_MS,
  ) {
    super(statements);
    this.#pool = pool;
    this.#primary = new PostgresqlReadSession(pool, statements);
    this.#replicas = replicas;
    this.#log = log;
    this.#mostBehind = mostBehind;
  }

  /** Asks each replica once, at the start, so that the log names those that are out of service. */
  async probe(): Promise<void> {
    const position = await this.#position();
    const timeout = Math.max(PROBE_MS, this.#mostBehind);
    if (position) await Promise.all(this.#replicas.map((replica) => replica.caughtUpTo(position, timeout)));
  }

  async rows<Row>(query: TextQuery<Row>): Promise<Row[]> {
    return ((await this.#askReplica(query)) as Row[] | undefined) ?? this.#primary.rows(query);
  }

  async #askReplica(query: TextQuery<unknown>): Promise<unknown[] | undefined> {
    if (this.#replicas.every(({ isCoolingDown }) => isCoolingDown)) return undefined;
    this.#choice ??= this.#chooseAfterThisTurn();
    const replica = await this.#choice;
    return (await replica?.ask(query))?.rows;
  }

  /** No read may join once the primary is asked: the position would be older than the read. */
  async #chooseAfterThisTurn(): Promise<Replica | undefined> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#choice = undefined;
    const position = await this.#position();
    return position && this.#choose(position);
  }

  /** The first replica, in turn, that has caught up or does within the time. */
  async #choose(position: LogPosition): Promise<Replica | undefined> {
    let until = performance.now() + this.#mostBehind;
    const first = this.#rounds++ % this.#replicas.length;
    const candidates = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    for (;;) {
      for (const replica of candidates) {
        if (replica.isCoolingDown) continue;
        const asked = performance.now();
        const state = await replica.caughtUpTo(position, this.#mostBehind);
        if (state === 'caught up') return replica;
        // The time that one replica wasted is not taken from the others.
        if (state === 'cooling down') until += performance.now() - asked;
      }
      const behind = candidates.filter(({ isCoolingDown }) => !isCoolingDown);
      if (behind.length === 0) return undefined;
      if (performance.now() + ASK_AGAIN_MS >= until) {
        for (const replica of behind) replica.coolDown('is behind');
        return undefined;
      }
      await pause(ASK_AGAIN_MS);
    }
  }

  /** `undefined` if the primary does not return it; then the primary serves the reads. */
  async #position(): Promise<LogPosition | undefined> {
    try {
      const position = await positionOf(this.#pool);
      this.#isPositionUnknown = false;
      return position;
    } catch (error) {
      if (!this.#isPositionUnknown && !isLost(error)) {
        this.#isPositionUnknown = true;
        this.#log.warn('the position of the primary is unknown; replicas are out of service', {
          error: asStorageError(error),
        });
      }
      return undefined;
    }
  }
}
