import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/sqlite';
import type { Selectable } from 'kysely';
import { LONGEST_DESCRIPTION, LONGEST_NAME, MOST_ORDERED_UNITS, MOST_UNITS } from '../../domain/limits.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { MOVEMENT_KINDS, type MovementKind } from '../../domain/stock-movement.ts';
import { onPostgresql, onSqlite } from './table-dialects.ts';

/*
 * The tables of both databases. Tests compare the migrations with them, and the types of statements and rows are derived
 * from them. Constraints repeat the rules of stock as the last line of defence: a statement that breaks one fails.
 * Conditions are written as each database returns them, because MikroORM compares the texts.
 *
 * A pet and its inventory entry are one row, so neither exists without the other, and both always show the same status.
 * `status` is checked against the stock and not generated from it: SQLite rewrites every index on a generated column
 * whenever one of its sources is set, which every order does.
 *
 * Every time is in milliseconds since 1970-01-01T00:00:00Z. PostgreSQL compares and sorts texts by code points
 * (`collate "C"`), independent of the language of the database. All its numbers are `bigint`, so that any number from a
 * request can be compared.
 */

function tablesOn({ number, flag, key, indexesForeignKeys, foreignKeyIndex, petTriggers, ...checks }: typeof onSqlite) {
  const id = () => number().primary().autoincrement();

  const categories = defineEntity({
    name: 'CategoryRow',
    tableName: 'categories',
    properties: { id: id(), name: p.text(), nameKey: key(), description: p.text().nullable() },
    uniques: [{ name: 'categories_name_key', properties: ['nameKey'] }],
    checks: [
      { name: 'categories_name_check', expression: checks.between('length(name)', '1', `${LONGEST_NAME}`) },
      { name: 'categories_description_check', expression: `length(description) <= ${LONGEST_DESCRIPTION}` },
    ],
  });

  const pets = defineEntity({
    name: 'PetRow',
    tableName: 'pets',
    properties: {
      id: id(),
      name: p.text(),
      nameKey: key(),
      categoryId: () =>
        p
          .manyToOne(categories)
          .joinColumn('category_id')
          .deleteRule('restrict')
          .updateRule('restrict')
          .index(indexesForeignKeys),
      quantity: number(),
      reserved: number(),
      held: flag(),
      status: key<PetStatus>(),
    },
    indexes: [
      ...foreignKeyIndex('pets_by_category', 'categoryId'),
      { name: 'pets_by_status', properties: ['status', 'id'] },
      { name: 'pets_by_category_status', properties: ['categoryId', 'status', 'id'] },
      { name: 'pets_by_name', properties: ['nameKey', 'id'] },
      { name: 'pets_by_category_name', properties: ['categoryId', 'nameKey', 'id'] },
      { name: 'pets_by_quantity', properties: ['quantity', 'id'] },
      { name: 'pets_by_status_quantity', properties: ['status', 'quantity', 'id'] },
      { name: 'pets_by_status_name', properties: ['status', 'nameKey', 'id'] },
      { name: 'pets_by_category_status_name', properties: ['categoryId', 'status', 'nameKey', 'id'] },
    ],
    triggers: petTriggers,
    checks: [
      { name: 'pets_name_check', expression: checks.between('length(name)', '1', `${LONGEST_NAME}`) },
      { name: 'pets_quantity_check', expression: checks.between('quantity', '0', `${MOST_UNITS}`) },
      { name: 'pets_reserved_check', expression: checks.between('reserved', '0', 'quantity') },
      { name: 'pets_held_check', expression: checks.between('held', '0', '1') },
      { name: 'pets_status_check', expression: `status = ${checks.statusOfStock}` },
    ],
  });

  const orders = defineEntity({
    name: 'OrderRow',
    tableName: 'orders',
    properties: {
      id: id(),
      petId: () => p.manyToOne(pets).joinColumn('pet_id').deleteRule('restrict').updateRule('restrict').index(false),
      quantity: number(),
      shipDate: number().nullable(),
      complete: flag(),
    },
    indexes: [
      { name: 'orders_by_complete', properties: ['complete', 'id'] },
      { name: 'orders_by_complete_ship_date', properties: ['complete', 'shipDate', 'id'] },
      { name: 'orders_by_pet_complete', properties: ['petId', 'complete', 'id'] },
      { name: 'orders_by_pet_complete_ship_date', properties: ['petId', 'complete', 'shipDate', 'id'] },
    ],
    checks: [
      { name: 'orders_quantity_check', expression: checks.between('quantity', '1', `${MOST_ORDERED_UNITS}`) },
      { name: 'orders_complete_check', expression: checks.between('complete', '0', '1') },
    ],
  });

  const movements = defineEntity({
    name: 'MovementRow',
    tableName: 'movements',
    properties: {
      id: id(),
      petId: () =>
        p.manyToOne(pets).joinColumn('pet_id').deleteRule('cascade').updateRule('restrict').index(indexesForeignKeys),
      kind: p.text().$type<MovementKind>(),
      quantity: number(),
      reserved: number(),
      /** No foreign key: the entries of a cancelled order stay. */
      orderId: number().nullable(),
      at: number(),
    },
    indexes: foreignKeyIndex('movements_by_pet', 'petId'),
    checks: [{ name: 'movements_kind_check', expression: checks.isOneOf('kind', MOVEMENT_KINDS) }],
  });

  /** The figures of the inventory summary. Triggers maintain them: on SQLite one row for each status, on PostgreSQL rows that add up. */
  const stockSummary = defineEntity({
    name: 'StockSummaryRow',
    tableName: 'stock_summary',
    properties: { id: id(), status: key<PetStatus>(), pets: number(), units: number() },
  });

  /** Responses to requests that may be retried: see `idempotency-store.ts`. Blobs of UTF-8, because a text on PostgreSQL cannot contain U+0000. */
  const idempotencyRecords = defineEntity({
    name: 'IdempotencyRecordRow',
    tableName: 'idempotency_records',
    properties: {
      requestId: p.blob().primary(),
      fingerprint: p.blob(),
      savedAt: number(),
      /** The last column, because it may be large: SQLite reads the columns before it without it. */
      response: p.blob(),
    },
    indexes: [{ name: 'idempotency_records_by_saved_at', properties: ['savedAt', 'requestId'] }],
  });

  const apiKeys = defineEntity({
    name: 'ApiKeyRow',
    tableName: 'api_keys',
    properties: {
      id: id(),
      name: p.text(),
      /** A JSON array. */
      scopes: p.text(),
      digest: p.text(),
      createdAt: number(),
      expiresAt: number().nullable(),
      revokedAt: number().nullable(),
    },
    checks: [
      { name: 'api_keys_name_check', expression: checks.between('length(name)', '1', `${LONGEST_NAME}`) },
      { name: 'api_keys_scopes_check', expression: checks.isJsonArray('scopes') },
      { name: 'api_keys_digest_check', expression: checks.isNotEmpty('digest') },
    ],
  });

  /** `data` is everything else of a webhook, as JSON: it is read and written as a whole, and nothing is searched by its content. */
  const webhooks = defineEntity({
    name: 'WebhookRow',
    tableName: 'webhooks',
    properties: { id: id(), data: p.text() },
  });

  const webhookDeliveries = defineEntity({
    name: 'WebhookDeliveryRow',
    tableName: 'webhook_deliveries',
    properties: {
      id: id(),
      webhookId: () =>
        p
          .manyToOne(webhooks)
          .joinColumn('webhook_id')
          .deleteRule('cascade')
          .updateRule('restrict')
          .index(indexesForeignKeys),
      createdAt: number(),
      /** Everything else of a delivery, as JSON. */
      data: p.text(),
    },
    indexes: [
      ...foreignKeyIndex('webhook_deliveries_by_webhook', 'webhookId'),
      { name: 'webhook_deliveries_by_created_at', properties: ['createdAt', 'id'] },
    ],
  });

  /** `data` is the resource right after the change, as JSON. */
  const events = defineEntity({
    name: 'EventRow',
    tableName: 'events',
    properties: { position: id(), type: p.text(), data: p.text(), at: number() },
  });

  /** The position of the last event that retention removed, if there is one. */
  const eventPurges = defineEntity({
    name: 'EventPurgeRow',
    tableName: 'event_purges',
    properties: { position: id() },
  });

  return [
    categories,
    pets,
    orders,
    movements,
    stockSummary,
    idempotencyRecords,
    apiKeys,
    webhooks,
    webhookDeliveries,
    events,
    eventPurges,
  ] as const;
}

export const sqliteTables = tablesOn(onSqlite);

export const postgresqlTables = [
  ...tablesOn(onPostgresql),
  /** Committed events that have no position yet: see `event-relay.ts`. */
  defineEntity({
    name: 'OutboxRow',
    tableName: 'outbox',
    properties: {
      id: onPostgresql.number().primary().autoincrement(),
      type: p.text(),
      data: p.text(),
      at: onPostgresql.number(),
    },
  }),
  /** The transactions that were committed: see `in-doubt-commit.ts`. */
  defineEntity({
    name: 'CommitMarkerRow',
    tableName: 'commit_markers',
    properties: { unit: p.uuid().primary(), at: onPostgresql.number() },
    indexes: [{ name: 'commit_markers_by_at', properties: ['at'] }],
  }),
  /** The counters of `rate-limiter-flexible`, if nodes share them. */
  defineEntity({
    name: 'RateLimitRow',
    tableName: 'rate_limits',
    properties: {
      key: p.text().primary(),
      points: p.integer().default(0),
      expire: onPostgresql.number().nullable(),
    },
  }),
] as const;

type TablesIn<Defined extends readonly { readonly name: string }[]> = InferKyselyDB<
  Defined[number],
  { columnNamingStrategy: 'property' }
>;

/** The tables that both databases have, by name, with the types of their columns. */
export type Tables = TablesIn<typeof sqliteTables>;
/** The tables on PostgreSQL. */
export type PostgresqlTables = TablesIn<typeof postgresqlTables>;
export type TableName = keyof Tables;
/** A row of a table as it is read. */
export type RowOf<Table extends TableName> = Selectable<Tables[Table]>;
/** The tables whose identifiers the service assigns before the insert. */
export type TableWithId = 'categories' | 'pets' | 'orders' | 'api_keys' | 'webhooks' | 'webhook_deliveries';
