import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { SqliteOutbox } from '../../../src/adapters/mikro-orm/sqlite/outbox.ts';
import { SqliteOutcomeRepository } from '../../../src/adapters/mikro-orm/sqlite/outcome-repository.ts';
import { PreparedStatements, type SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteReadSession, SqliteWriteSession } from '../../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { MikroOrmWriteScope } from '../../../src/adapters/mikro-orm/write-scope.ts';
import type { Reader } from '../../../src/application/ports/reader.ts';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { ObservedConnection } from '../../support/observed-connection.ts';
import { openSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';

const REQUEST = { caller: 'anyone', operation: 'POST /pets', key: 'k' };
const BY_REQUEST = 'SEARCH outcomes USING INDEX outcomes_request (caller=? AND operation=? AND key=?)';
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

  const statements = () => new PreparedStatements(observed as unknown as SqliteDatabase);
  const write = (act: (scope: WriteScope) => Promise<unknown>) => {
    const session = new SqliteWriteSession(statements());
    const ownWays = { outbox: new SqliteOutbox(session), outcomes: new SqliteOutcomeRepository(session) };
    return act(new MikroOrmWriteScope(session, ownWays));
  };
  const read = (ask: (reader: Reader) => Promise<unknown>) => {
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statements()));
    return ask(reader);
  };

  it('of an outcome goes straight to it', async () => {
    await write(({ outcomes }) => outcomes.lock(REQUEST));

    expect(observed.plans).to.deep.equal([BY_REQUEST]);
  });

  it('of old outcomes goes along their time, and sorts nothing', async () => {
    await write(({ outcomes }) => outcomes.forget(1_000, 500));

    expect(observed.plans).to.deep.equal([
      'SEARCH outcomes USING INTEGER PRIMARY KEY (rowid=?); LIST SUBQUERY 1; SEARCH outcomes USING COVERING INDEX outcomes_by_at (at<?)',
    ]);
  });

  it('of an API key is one statement by its identifier, for readers and for units of work', async () => {
    await read((reader) => reader.apiKey(1));
    await write(({ apiKeys }) => apiKeys.lock(1));

    expect(observed.plans).to.deep.equal([BY_KEY, BY_KEY]);
  });

  it('of all API keys goes along their identifiers', async () => {
    await read((reader) => reader.apiKeys());

    expect(observed.plans).to.deep.equal(['SCAN api_keys']);
  });
});
