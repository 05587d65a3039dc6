import { KoaExtension } from '../adapters/http/koa/extension.ts';
import type { ApiKeyRepository } from '../application/ports/api-key-repository.ts';
import type { CategoryRepository } from '../application/ports/category-repository.ts';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { EventLog } from '../application/ports/event-log.ts';
import type { IdempotencyStore } from '../application/ports/idempotency-store.ts';
import type { InventoryRepository } from '../application/ports/inventory-repository.ts';
import type { Ledger } from '../application/ports/ledger.ts';
import { Log } from '../application/ports/log.ts';
import type { OrderRepository } from '../application/ports/order-repository.ts';
import type { Outbox } from '../application/ports/outbox.ts';
import type { PetRepository } from '../application/ports/pet-repository.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { Reader } from '../application/ports/reader.ts';
import { Secrets } from '../application/ports/secrets.ts';
import { Storage } from '../application/ports/storage.ts';
import { UnitOfWork, type WriteScope } from '../application/ports/unit-of-work.ts';
import type { WebhookDeliveryRepository } from '../application/ports/webhook-delivery-repository.ts';
import type { WebhookRepository } from '../application/ports/webhook-repository.ts';
import { WebhookSender } from '../application/ports/webhook-sender.ts';

/** What a member of a port is: a method (1), or a list. */
type Kind = 1 | 'a list';

/** The members that an adapter must have. The compiler compares them with the port, so the list is complete. */
type MembersOf<Port> = {
  readonly [Name in keyof Port as undefined extends Port[Name] ? never : Name]: Port[Name] extends (
    ...given: never
  ) => unknown
    ? 1
    : 'a list';
};

/** One port that a module may bind: its members, and how many adapters may be bound to it. */
export interface BindablePort {
  readonly port: abstract new () => object;
  readonly adapters: 'one' | 'one at most' | 'any number';
  readonly members: Readonly<Record<string, Kind>>;
}

export const PORTS: readonly BindablePort[] = [
  { port: UnitOfWork, adapters: 'one', members: { write: 1 } satisfies MembersOf<UnitOfWork> },
  {
    port: Reader,
    adapters: 'one',
    members: {
      pet: 1,
      storePet: 1,
      pets: 1,
      countPets: 1,
      category: 1,
      categories: 1,
      countCategories: 1,
      order: 1,
      orders: 1,
      countOrders: 1,
      inventoryItem: 1,
      inventory: 1,
      countInventory: 1,
      summary: 1,
      summaryRecord: 1,
      movements: 1,
      countMovements: 1,
      apiKey: 1,
      apiKeys: 1,
      webhook: 1,
      webhooks: 1,
      countWebhooks: 1,
      webhookDeliveries: 1,
      countWebhookDeliveries: 1,
      stockRecords: 1,
    } satisfies MembersOf<Reader>,
  },
  { port: EventLog, adapters: 'one', members: { read: 1, range: 1, subscribe: 1 } satisfies MembersOf<EventLog> },
  { port: Storage, adapters: 'one', members: { open: 1, close: 1, check: 1 } satisfies MembersOf<Storage> },
  { port: Clock, adapters: 'one', members: { now: 1 } satisfies MembersOf<Clock> },
  { port: Log, adapters: 'one', members: { debug: 1, info: 1, warn: 1, error: 1 } satisfies MembersOf<Log> },
  { port: Secrets, adapters: 'one', members: { make: 1, digest: 1, same: 1 } satisfies MembersOf<Secrets> },
  {
    port: RateLimiter,
    adapters: 'one at most',
    members: { policies: 'a list', take: 1, look: 1, close: 1 } satisfies MembersOf<RateLimiter>,
  },
  {
    port: WebhookSender,
    adapters: 'one at most',
    members: { send: 1, close: 1 } satisfies MembersOf<WebhookSender>,
  },
  {
    port: CredentialVerifier,
    adapters: 'any number',
    members: { verify: 1 } satisfies MembersOf<CredentialVerifier>,
  },
  {
    port: KoaExtension,
    adapters: 'any number',
    members: { before: 'a list', routes: 'a list', after: 'a list' } satisfies MembersOf<KoaExtension>,
  },
];

type Repositories = { readonly [Name in keyof WriteScope]: MembersOf<WriteScope[Name]> };

const REPOSITORIES: Repositories = {
  categories: {
    nextId: 1,
    exists: 1,
    lock: 1,
    add: 1,
    save: 1,
    isInUse: 1,
    delete: 1,
  } satisfies MembersOf<CategoryRepository>,
  pets: { nextId: 1, find: 1, add: 1, save: 1, delete: 1 } satisfies MembersOf<PetRepository>,
  inventory: { lock: 1, save: 1 } satisfies MembersOf<InventoryRepository>,
  orders: { nextId: 1, lock: 1, add: 1, save: 1, delete: 1, existFor: 1 } satisfies MembersOf<OrderRepository>,
  ledger: { append: 1 } satisfies MembersOf<Ledger>,
  outbox: { append: 1, purge: 1 } satisfies MembersOf<Outbox>,
  idempotency: { lock: 1, save: 1, deleteExpired: 1 } satisfies MembersOf<IdempotencyStore>,
  apiKeys: { nextId: 1, lock: 1, add: 1, save: 1 } satisfies MembersOf<ApiKeyRepository>,
  webhooks: { nextId: 1, lock: 1, add: 1, save: 1, delete: 1 } satisfies MembersOf<WebhookRepository>,
  webhookDeliveries: {
    nextId: 1,
    find: 1,
    add: 1,
    save: 1,
    deleteCreatedBefore: 1,
  } satisfies MembersOf<WebhookDeliveryRepository>,
};

/** The members that an adapter lacks. */
export function missingMembers(adapter: unknown, members: BindablePort['members']): string[] {
  const has = Object(adapter) as Readonly<Record<string, unknown>>;
  return Object.entries(members)
    .filter(([name, kind]) => (kind === 1 ? typeof has[name] !== 'function' : !Array.isArray(has[name])))
    .map(([name]) => name);
}

/** The members that a unit of work lacks, such as `categories.isInUse`. */
export function missingInScope(scope: unknown): string[] {
  const has = Object(scope) as Readonly<Record<string, unknown>>;
  return Object.entries(REPOSITORIES).flatMap(([name, members]) =>
    missingMembers(has[name], members).map((member) => `${name}.${member}`),
  );
}
