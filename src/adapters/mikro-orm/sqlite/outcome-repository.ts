import type { Outcome, OutcomeRepository, RequestName } from '../../../application/ports/outcome-repository.ts';
import type { WriteSession } from '../session.ts';

const FIND = 'select fingerprint, answer, at from outcomes where caller = ? and operation = ? and key = ?';
const KEEP = `insert into outcomes (caller, operation, key, fingerprint, answer, at) values (?, ?, ?, ?, ?, ?)
  on conflict (caller, operation, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer, at = excluded.at`;
/** A sum as the limit: SQLite plans by the value of a bare `limit ?`, and so prepares the statement anew at every run. */
const FORGET = 'delete from outcomes where id in (select id from outcomes where at < ? order by at, id limit ? + 0)';

/** Whoever writes has the file's one write lock, and so is alone with every outcome. */
export class SqliteOutcomeRepository implements OutcomeRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock({ caller, operation, key }: RequestName): Promise<Outcome | undefined> {
    return this.#session.one<Outcome>(FIND, caller, operation, key);
  }

  async keep({ caller, operation, key }: RequestName, { fingerprint, answer, at }: Outcome): Promise<void> {
    await this.#session.run(KEEP, caller, operation, key, fingerprint, answer, at);
  }

  async forget(keptBefore: number, most: number): Promise<number> {
    return this.#session.run(FORGET, keptBefore, most);
  }
}
