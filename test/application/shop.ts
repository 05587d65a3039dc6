import { expect } from 'chai';
import { InMemoryEventLog } from '../../src/adapters/in-memory/event-log.ts';
import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { WebSecrets } from '../../src/adapters/web-crypto/web-secrets.ts';
import { Auditor } from '../../src/application/auditor.ts';
import { Shop as Desks } from '../../src/application/shop.ts';
import { FixedClock } from '../../src/conformance/fixed-clock.ts';
import type { StockRecord } from '../../src/domain/audit.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { DomainError } from '../../src/domain/refusals.ts';
import type { LedgerEntry } from '../../src/domain/stock-movement.ts';
import { failureOf } from '../support/promises.ts';

/** The clock at the start of every test: 2026-11-21, 09:00 UTC. */
export const OPENING = Date.UTC(2026, 10, 21, 9);

const everything = { limit: Number.MAX_SAFE_INTEGER } as const;

/** A shop with all its desks, on a new empty store. */
export class Shop {
  readonly store = new InMemoryStore();
  readonly work = new InMemoryUnitOfWork(this.store);
  readonly reader = new InMemoryReader(this.store);
  readonly clock = new FixedClock(OPENING);
  readonly eventLog = new InMemoryEventLog(this.store);
  readonly secrets = new WebSecrets();
  readonly desks = new Desks(this.work, this.reader, this.eventLog, this.clock, this.secrets);
  readonly categories = this.desks.categoryDesk;
  readonly pets = this.desks.petCatalog;
  readonly orders = this.desks.orderDesk;
  readonly stock = this.desks.stockRoom;
  readonly webhooks = this.desks.webhookDesk;
  readonly auditor = new Auditor(this.reader);

  /** Runs an action. Returns its result, and every movement and event that it wrote. */
  async watch<Answer>(doing: () => Promise<Answer>) {
    const before = await this.picture();
    const answer = await doing();
    const after = await this.picture();
    return {
      answer: plain(answer),
      movements: after.movements.slice(before.movements.length),
      events: after.events.slice(before.events.length),
    };
  }

  /** Asserts that an action is refused, and changed and wrote nothing. Returns the refusal. */
  async refuses<Refusal extends DomainError>(
    doing: () => Promise<unknown>,
    refusal: new (...facts: never[]) => Refusal,
  ): Promise<Refusal> {
    const before = await this.picture();
    const outcome = await failureOf(doing());

    if (!(outcome instanceof refusal)) throw outcome;
    expect(await this.picture()).to.deep.equal(before);
    return outcome;
  }

  /** Asserts that an action succeeds and writes nothing. Returns its result. */
  async leaves<Answer>(doing: () => Promise<Answer>): Promise<Answer> {
    const before = await this.picture();
    const answer = await doing();

    expect(await this.picture()).to.deep.equal(before);
    return plain(answer);
  }

  /** The whole content of the store, as plain values. Movements are in the order in which they were written. */
  async picture() {
    const { rows: categories } = await this.reader.categories({}, { sort: { by: 'id' }, ...everything });
    const { rows: pets } = await this.reader.pets({}, { sort: { by: 'id' }, ...everything });
    const { rows: orders } = await this.reader.orders({}, { sort: { by: 'id' }, ...everything });
    const { rows: inventory } = await this.reader.inventory({}, { sort: { by: 'petId' }, ...everything });
    const stock: StockRecord[] = [];
    for await (const record of this.reader.stockRecords()) stock.push(record);
    const ledgers = await Promise.all(pets.map(({ id }) => this.reader.movements(id, { ...everything })));
    const movements = ledgers
      .flatMap((page) => page?.rows ?? [])
      .sort((a, b) => a.id - b.id)
      .map((movement): LedgerEntry => without('id', movement));
    const events = this.store.events.map((event) => without('position', event) as DomainEvent);
    return plain({ categories, pets, orders, inventory, stock, movements, events });
  }
}

/** The same without keys that have no value. */
function plain<Value>(value: Value): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

export function without<Key extends string, Thing extends Record<Key, unknown>>(
  key: Key,
  thing: Thing,
): Omit<Thing, Key> {
  const { [key]: _left, ...rest } = thing;
  return rest;
}
