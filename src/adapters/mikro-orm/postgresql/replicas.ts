import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../application/ports/log.ts';
import type { TextQuery } from '../dialect.ts';
import type { CompiledStatements } from '../statement.ts';
import { asStorageError, isLost } from './postgresql-errors.ts';
import type { PostgresqlPool } from './postgresql-pool.ts';
import { PostgresqlReadSession, StatementReads } from './read-session.ts';
import { type LogPosition, positionOf, type Replica } from './replica.ts';

/** How long reads wait for replicas that have not replayed enough unless it is set, in milliseconds. */
const MOST_BEHIND_MS = 100;
/** How long between two questions about that, in milliseconds. */
const ASK_AGAIN_MS = 4;
/** How long the start waits for a replica at least, in milliseconds. */
const GREETING_MS = 1_000;

/**
 * Reads on replicas what they have for certain, and all else on the primary. A read goes to a replica only if that has
 * replayed all that was acknowledged when the read began, on whatever node: the primary is asked how far it is, once for
 * all reads that begin in one turn of the event loop, and then the replica. See docs/adr/0011-postgresql.md.
 */
export class ReplicatedReadSession extends StatementReads {
  readonly #primary: PostgresqlPool;
  readonly #otherwise: PostgresqlReadSession;
  readonly #replicas: readonly Replica[];
  readonly #log: Log;
  readonly #mostBehind: number;
  #turns = 0;
  /** What the reads that have begun in this turn wait for. */
  #choice: Promise<Replica | undefined> | undefined;
  #isPrimarySilent = false;

  constructor(
    primary: PostgresqlPool,
    statements: CompiledStatements,
    replicas: readonly Replica[],
    log: Log,
    mostBehind = MOST_BEHIND_MS,
  ) {
    super(statements);
    this.#primary = primary;
    this.#otherwise = new PostgresqlReadSession(primary, statements);
    this.#replicas = replicas;
    this.#log = log;
    this.#mostBehind = mostBehind;
  }

  /** Gets to know the replicas. One that is away is in the log after that, and nothing else comes of it. */
  async greet(): Promise<void> {
    const position = await this.#position();
    const patience = Math.max(GREETING_MS, this.#mostBehind);
    if (position) await Promise.all(this.#replicas.map((replica) => replica.standingAt(position, patience)));
  }

  async rows<Row>(query: TextQuery<Row>): Promise<Row[]> {
    return ((await this.#askReplica(query)) as Row[] | undefined) ?? this.#otherwise.rows(query);
  }

  async #askReplica(query: TextQuery<unknown>): Promise<unknown[] | undefined> {
    if (this.#replicas.every(({ rests }) => rests)) return undefined;
    this.#choice ??= this.#chooseAfterThisTurn();
    const replica = await this.#choice;
    return (await replica?.ask(query))?.rows;
  }

  /** Nobody may join any more when the primary is asked: its answer would be older than the read. */
  async #chooseAfterThisTurn(): Promise<Replica | undefined> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#choice = undefined;
    const position = await this.#position();
    return position && this.#choose(position);
  }

  /** The first replica that is as far, in turn; each of them may take a moment to get there. */
  async #choose(position: LogPosition): Promise<Replica | undefined> {
    let until = performance.now() + this.#mostBehind;
    const first = this.#turns++ % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    for (;;) {
      for (const replica of inTurn) {
        if (replica.rests) continue;
        const asked = performance.now();
        const standing = await replica.standingAt(position, this.#mostBehind);
        if (standing === 'ready') return replica;
        // What one was waited for in vain is not taken from the others.
        if (standing === 'resting') until += performance.now() - asked;
      }
      const behind = inTurn.filter(({ rests }) => !rests);
      if (behind.length === 0) return undefined;
      if (performance.now() + ASK_AGAIN_MS >= until) {
        for (const replica of behind) replica.rest('is behind');
        return undefined;
      }
      await pause(ASK_AGAIN_MS);
    }
  }

  /** `undefined` if the primary does not say it; then it is the primary that the reads are for. */
  async #position(): Promise<LogPosition | undefined> {
    try {
      const position = await positionOf(this.#primary);
      this.#isPrimarySilent = false;
      return position;
    } catch (error) {
      if (!this.#isPrimarySilent && !isLost(error)) {
        this.#isPrimarySilent = true;
        this.#log.warn('the position of the primary is unknown; replicas are out of service', {
          error: asStorageError(error),
        });
      }
      return undefined;
    }
  }
}
