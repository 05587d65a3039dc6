import Database from 'better-sqlite3';
import { expect } from 'chai';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { Auditor } from '../../../src/application/auditor.ts';
import { WebhookDispatcher } from '../../../src/application/webhook-dispatcher.ts';
import { RunningPetstore } from '../../support/running-petstore.ts';
import { dumpOf } from '../../support/sqlite-store.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';

const REQUESTS = 5_000;
const SEED = 20_261_121;

/** On SQLite, another connection watches the file; in memory, every change has its event. */
const STORAGES = {
  sqlite: (store: RunningPetstore) => {
    const database = new Database(store.file);
    return {
      version: () => database.pragma('data_version', { simple: true }),
      everything: () => dumpOf(database),
      faults: () => [
        ...['integrity_check', 'foreign_key_check'].flatMap((check) => database.pragma(check) as object[]),
      ],
      close: () => database.close(),
    };
  },
  memory: (store: RunningPetstore) => {
    const { tables } = store.petstore.container.get(InMemoryStore);
    const everything = () => Object.values(tables).map((table) => [...table.all()]);
    return {
      version: () => tables.events.lastId,
      everything: () => structuredClone(everything()),
      close: () => undefined,
    };
  },
};

for (const storage of ['sqlite', 'memory'] as const) {
  describe(`Thousands of valid and invalid requests to a store in ${storage}`, () => {
    const store = new RunningPetstore();
    let watcher: ReturnType<(typeof STORAGES)[typeof storage]>;

    beforeEach(async () => {
      await store.open({ storage });
      for (let i = 0; i < 6; i++) await store.category(`Shelf ${i}`);
      for (let i = 0; i < 16; i++) {
        await store.pet({ name: `Pet ${i}`, categoryId: 1 + (i % 5), stock: 5 * Math.max(0, i - 5) });
      }
      for (let i = 0; i < 10; i++) await store.order({ petId: 7 + i, quantity: 1 + (i % 3), complete: i % 4 === 0 });
      // Deliveries would change the store between two requests.
      await store.petstore.container.get(WebhookDispatcher).stop();
      for (let i = 1; i <= 20; i++) {
        await store.post('/store/webhooks', { url: 'http://127.0.0.1:9/hook' });
        await store.send('POST', `/store/webhooks/${i}/ping`);
      }
      watcher = STORAGES[storage](store);
    });
    afterEach(async () => {
      watcher.close();
      await store.close();
    });

    it('never break the service, get declared responses only, and change nothing when they are refused', async () => {
      const outcomes = new Map<string, Set<number>>();
      const codes = new Set<string>();
      let version = watcher.version();

      for (const request of hostileRequests(store.check, REQUESTS, SEED)) {
        // The client of the tests refuses an undeclared response.
        const { status, body, text } = await store.send<{ code?: string }>(request.method, request.target, request);
        const shown = `${show(request)} gave ${status} ${text.slice(0, 300)}`;
        const changed = watcher.version() !== version;
        version = watcher.version();

        expect(status, shown).to.be.below(500);
        const mayChange = status < 300 && request.method !== 'GET' && request.method !== 'HEAD';
        if (!mayChange) expect(changed, `${shown} and changed something`).to.equal(false);
        const operationId = store.check.operationOf(request.method, request.target)?.operation.operationId ?? 'none';
        outcomes.set(operationId, (outcomes.get(operationId) ?? new Set()).add(status));
        if (body?.code !== undefined) codes.add(body.code);
      }

      outcomes.delete('none');
      for (const [operationId, found] of outcomes) {
        const statuses = [...found];
        expect(
          statuses.some((status) => status < 300),
          `${operationId} succeeded once`,
        ).to.equal(true);
        expect(
          statuses.some((status) => status >= 400),
          `${operationId} was refused once`,
        ).to.equal(true);
      }
      expect(outcomes.size).to.equal(Object.values(store.document.paths).flatMap(Object.keys).length);
      expect(EXPECTED_CODES.filter((code) => !codes.has(code))).to.deep.equal([]);
      expect((await store.petstore.container.get(Auditor).audit()).findings).to.deep.equal([]);
      if ('faults' in watcher) expect(watcher.faults()).to.deep.equal([{ integrity_check: 'ok' }]);
    });

    it('change no row when all of them are refused', async () => {
      const before = watcher.everything();

      for (const request of hostileRequests(store.check, 1_000, SEED + 1)) {
        const { status } = await store.send(request.method, request.target, {
          ...request,
          headers: { ...request.headers, Accept: 'text/nothing' },
        });
        expect(status, show(request)).to.be.within(400, 499);
      }

      expect(watcher.everything()).to.deep.equal(before);
    });
  });
}

/** The outcomes that must occur; otherwise the requests are not hostile enough. */
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
