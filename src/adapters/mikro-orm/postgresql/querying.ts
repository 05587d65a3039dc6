import type { TextQuery } from '../dialect.ts';
import type { CompiledStatements } from '../statement.ts';
import type { PostgresqlResult } from './postgresql-pool.ts';

/** The part of a transaction that runs queries. */
export interface Querying {
  readonly statements: CompiledStatements;
  /** Whether a statement that locks or writes rows must be about one pet. */
  readonly isDistributed: boolean;
  /** Whether several units of work share it. */
  readonly isShared: boolean;
  /** Identifies it in `commit_markers`. */
  readonly id: string;
  /** Whether its marker is sent. */
  readonly isMarked: boolean;
  markedBy(sent: Promise<unknown>): void;
  /** Runs a query for a part of the transaction. */
  query(part: object | undefined, query: TextQuery<unknown>): Promise<PostgresqlResult>;
}

/** What another transaction has locked: a pet, or the request that a unit of work retries. */
export class LockedElsewhere extends Error {
  readonly petId: number | undefined;
  readonly by: 'this node' | 'another session';

  constructor(petId: number | undefined, by: LockedElsewhere['by']) {
    super('Another transaction has locked it.');
    this.petId = petId;
    this.by = by;
  }
}
