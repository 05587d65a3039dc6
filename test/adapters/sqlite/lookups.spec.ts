import { expect } from 'chai';
import { MikroOrmIdempotencyStore } from '../../../src/adapters/mikro-orm/idempotency-store.ts';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { SqliteOutbox } from '../../../src/adapters/mikro-orm/sqlite/outbox.ts';
import type { SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteReadSession, SqliteWriteSession } from '../../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { MikroOrmWriteScope } from '../../../src/adapters/mikro-orm/write-scope.ts';
import type { Reader } from '../../../src/application/ports/reader.ts';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { ObservedConnection } from '../../support/observed-connection.ts';
import { openSqliteStore, type SqliteStore, statementsOn } from '../../support/sqlite-store.ts';

const BY_REQUEST = 'SEARCH idempotency_records USING INDEX sqlite_autoindex_idempotency_records_1 (request_id=?)';
const BY_KEY = 'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)';

describe('A look-up on SQLite', () => {
  let store: SqliteStore;
  let observed: ObservedConnection;
  before(async () => {
    store = await openSqliteStore();
  });
  after(() => store.dispose());
  beforeEach(() => {
    observed = new ObservedConnection(store.other);
  });

  const statements = () => statementsOn(observed as unknown as SqliteDatabase);
  const write = (act: (scope: WriteScope) => Promise<unknown>) => {
    const session = new SqliteWriteSession(statements());
    const repositories = { outbox: new SqliteOutbox(session), idempotency: new MikroOrmIdempotencyStore(session) };
    return act(new MikroOrmWriteScope(session, repositories));
  };
  const read = (ask: (reader: Reader) => Promise<unknown>) => {
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statements()));
    return ask(reader);
  };

  it('of an idempotency record uses its key', async () => {
    await write(({ idempotency }) => idempotency.lock('request-1'));

    expect(observed.plans).to.deep.equal([BY_REQUEST]);
  });

  it('of expired idempotency records uses the index on their time, and sorts nothing', async () => {
    await write(({ idempotency }) => idempotency.deleteExpired(1_000, 500));

    expect(observed.plans).to.deep.equal([
      'SEARCH idempotency_records USING COVERING INDEX sqlite_autoindex_idempotency_records_1 (request_id=?); LIST SUBQUERY 1; SEARCH idempotency_records USING COVERING INDEX idempotency_records_by_saved_at (saved_at<?)',
    ]);
  });

  it('of an API key is one statement by its identifier, for readers and for units of work', async () => {
    await read((reader) => reader.apiKey(1));
    await write(({ apiKeys }) => apiKeys.lock(1));

    expect(observed.plans).to.deep.equal([BY_KEY, BY_KEY]);
  });

  it('of all API keys reads them in the order of their identifiers', async () => {
    await read((reader) => reader.apiKeys());

    expect(observed.plans).to.deep.equal(['SCAN api_keys']);
  });
});
