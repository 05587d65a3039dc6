import { EventLog, EventsExpired } from 'petstore-service/ports/event-log';

/** SQLite remembers the last position, also when its event is deleted; there are no gaps before it. */
const RANGE = `SELECT coalesce((SELECT min(position) FROM events), last + 1) AS oldest, last
  FROM (SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'events')`;
const EVENTS = `SELECT position, type, data, at FROM events WHERE position > ? AND position <= ?
  AND (? OR type IN (SELECT value FROM json_each(?))) ORDER BY position LIMIT ?`;
const MOST_SEARCHED = 10_000;
const POLL_MS = 100;

/** One process at a time writes to the file, so positions are in the order of the commits. */
export class AcmeEventLog extends EventLog {
  #database;

  constructor(database) {
    super();
    this.#database = database;
  }

  async range() {
    return { ...this.#database.reader.get(RANGE) };
  }

  async read({ after, types, limit }) {
    const { reader } = this.#database;
    // Both queries see the same moment.
    reader.execute('BEGIN');
    try {
      const { oldest, last } = reader.get(RANGE);
      const start = after ?? oldest - 1;
      if (start < oldest - 1) throw new EventsExpired(oldest);
      const end = Math.min(last, start + MOST_SEARCHED);
      const rows = reader.all(EVENTS, start, end, types ? 0 : 1, JSON.stringify(types ?? []), limit);
      const events = rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
      return { events, position: rows.length === limit ? rows.at(-1).position : Math.max(start, end), last };
    } finally {
      reader.execute('COMMIT');
    }
  }

  /** Looks for new events of all processes now and then. */
  subscribe(listener) {
    let seen = 0;
    const timer = setInterval(async () => {
      const { last } = await this.range().catch(() => ({ last: 0 }));
      if (last > seen) listener();
      seen = Math.max(seen, last);
    }, POLL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}
