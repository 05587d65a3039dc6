import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { SqliteDatabase } from '../../src/adapters/mikro-orm/sqlite-database.ts';
import { Auditor } from '../../src/application/auditor.ts';
import { RunningPetstore } from '../support/running-petstore.ts';
import { dumpOf } from '../support/sqlite-store.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';

const REQUESTS = 5_000;
const SEED = 20_261_121;

describe('Thousands of requests, sound and not,', function () {
  this.timeout(60_000);

  const store = new RunningPetstore();
  const watcher = { database: undefined as (SqliteDatabase & { close(): void }) | undefined };

  beforeEach(async () => {
    await store.open({ storage: 'sqlite' });
    for (let i = 0; i < 6; i++) await store.category(`Shelf ${i}`);
    for (let i = 0; i < 16; i++)
      await store.pet({ name: `Pet ${i}`, categoryId: 1 + (i % 5), stock: 5 * Math.max(0, i - 5) });
    for (let i = 0; i < 10; i++) await store.order({ petId: 7 + i, quantity: 1 + (i % 3), complete: i % 4 === 0 });
    watcher.database = new Database(store.file);
  });
  afterEach(async () => {
    watcher.database?.close();
    await store.close();
  });

  it('never break the service, never get an answer that is not declared, and change nothing when they are refused', async () => {
    const database = watcher.database as SqliteDatabase;
    const versionOf = () => database.pragma('data_version', { simple: true });
    const outcomes = new Map<string, Set<number>>();
    const codes = new Set<string>();
    let version = versionOf();

    for (const request of hostileRequests(store.document, REQUESTS, SEED)) {
      // What is not declared for the operation is refused by the client's own check.
      const { status, body, text } = await store.send<{ code?: string }>(request.method, request.target, request);
      const shown = `${show(request)} gave ${status} ${text.slice(0, 300)}`;
      const changed = versionOf() !== version;
      version = versionOf();

      expect(status, shown).to.be.below(500);
      if (status >= 300 || request.method === 'GET' || request.method === 'HEAD')
        expect(changed, `${shown} and changed something`).to.equal(false);
      const operationId = store.check.operationOf(request.method, request.target)?.operation.operationId ?? 'none';
      outcomes.set(operationId, (outcomes.get(operationId) ?? new Set()).add(status));
      if (body?.code !== undefined) codes.add(body.code);
    }

    for (const [operationId, statuses] of outcomes) {
      if (operationId === 'none') continue;
      expect(
        [...statuses].some((status) => status < 300),
        `${operationId} succeeded once`,
      ).to.equal(true);
      expect(
        [...statuses].some((status) => status >= 400),
        `${operationId} was refused once`,
      ).to.equal(true);
    }
    expect(outcomes.size).to.be.at.least(Object.values(store.document.paths).flatMap(Object.keys).length);
    expect(EXPECTED_CODES.filter((code) => !codes.has(code))).to.deep.equal([]);
    expect((await store.petstore.container.get(Auditor).audit()).findings).to.deep.equal([]);
    expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
    expect(database.pragma('foreign_key_check')).to.deep.equal([]);
  });

  it('leave every row as it was when all of them are refused', async () => {
    const database = watcher.database as SqliteDatabase;
    const before = dumpOf(database);

    for (const request of hostileRequests(store.document, 1_000, SEED + 1)) {
      const { status } = await store.send(request.method, request.target, {
        ...request,
        headers: { ...request.headers, Accept: 'text/nothing' },
      });
      expect(status, show(request)).to.be.within(400, 499);
    }

    expect(dumpOf(database)).to.deep.equal(before);
  });
});

/** What the requests must have come upon, or they are not hostile enough. */
const EXPECTED_CODES = [
  'malformed_json',
  'invalid_parameter',
  'unknown_parameter',
  'invalid_cursor',
  'invalid_header',
  'malformed_request',
  'not_acceptable',
  'unsupported_media_type',
  'validation_failed',
  'precondition_failed',
  'pet_not_found',
  'category_not_found',
  'order_not_found',
  'unknown_category',
  'unknown_pet',
  'category_name_taken',
  'category_in_use',
  'pet_has_orders',
  'pet_not_available',
  'order_already_complete',
];

function show({ method, target, headers, content }: HostileRequest): string {
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${String(content).slice(0, 300)}`;
}
