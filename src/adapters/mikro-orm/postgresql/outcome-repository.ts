import { createHash } from 'node:crypto';
import {
  type Outcome,
  type OutcomeRepository,
  RequestInProgress,
  type RequestName,
} from '../../../application/ports/outcome-repository.ts';
import { sqlState } from './postgresql-errors.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

/** Takes the place of an outcome. Waits while another transaction has it, which no other statement would see. */
const CLAIM = 'insert into outcomes (request, at) values (?, 0) on conflict (request) do nothing';
const FIND = `select encode(fingerprint, 'hex') as fingerprint, encode(answer, 'hex') as answer, at from outcomes
  where request = ? for update`;
const KEEP = `insert into outcomes (request, fingerprint, answer, at) values (?, ?, ?, ?)
  on conflict (request) do update set fingerprint = excluded.fingerprint, answer = excluded.answer, at = excluded.at`;
const LEAVE = 'delete from outcomes where request = ? and answer is null';
const FORGET = `delete from outcomes where id in
  (select id from outcomes where at < ? and answer is not null order by at, id limit ? for update skip locked)`;
const FORGET_MARKS = 'delete from marks where at < ?';

const LOCK_NOT_AVAILABLE = '55P03';

/** With the bytes in hexadecimal digits, in whatever form the server shows them otherwise. */
interface OutcomeRow {
  readonly fingerprint: string | null;
  readonly answer: string | null;
  readonly at: number;
}

/**
 * Outcomes are found by a digest of the request's name: three texts of 300 characters are too long for an index. Texts are
 * kept as bytes, since they may have characters that PostgreSQL takes in no text.
 */
export class PostgresqlOutcomeRepository implements OutcomeRepository {
  readonly #session: PostgresqlWriteSession;
  readonly #claimed = new Set<string>();

  constructor(session: PostgresqlWriteSession) {
    this.#session = session;
  }

  async lock(request: RequestName): Promise<Outcome | undefined> {
    const digest = digestOf(request);
    for (;;) {
      if ((await unlessUnderWay(this.#session.run(CLAIM, digest))) > 0) {
        this.#giveUpUnlessKept(digest);
        return undefined;
      }
      const row = await unlessUnderWay(this.#session.one<OutcomeRow>(FIND, digest));
      // Between the two it may have been forgotten: then its place is free.
      if (row) return outcomeIn(row);
    }
  }

  async keep(request: RequestName, { fingerprint, answer, at }: Outcome): Promise<void> {
    const digest = digestOf(request);
    await this.#session.run(KEEP, digest, Buffer.from(fingerprint), Buffer.from(answer), at);
    this.#claimed.delete(digest.toString('hex'));
  }

  async forget(keptBefore: number, most: number): Promise<number> {
    await this.#session.run(FORGET_MARKS, keptBefore);
    return this.#session.run(FORGET, keptBefore, most);
  }

  /** A place that was taken for nothing is left before the others can see it. */
  #giveUpUnlessKept(digest: Buffer): void {
    const name = digest.toString('hex');
    this.#claimed.add(name);
    this.#session.beforeCommit(async () => {
      if (this.#claimed.has(name)) await this.#session.run(LEAVE, digest);
    });
  }
}

/** Whoever has the place of an outcome for longer than one waits is at work on the same request. */
async function unlessUnderWay<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    const { cause } = error as Error;
    if (sqlState(cause ?? error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new RequestInProgress('The same request is under way on another node.', { cause: error });
  }
}

/** There is none in a place that this unit of work has taken itself. */
function outcomeIn({ fingerprint, answer, at }: OutcomeRow): Outcome | undefined {
  if (fingerprint === null || answer === null) return undefined;
  return { fingerprint: textOf(fingerprint), answer: textOf(answer), at };
}

function textOf(hexadecimal: string): string {
  return Buffer.from(hexadecimal, 'hex').toString();
}

function digestOf({ caller, operation, key }: RequestName): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([caller, operation, key]))
    .digest();
}
