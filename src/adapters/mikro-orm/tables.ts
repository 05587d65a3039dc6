import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/sqlite';
import type { Selectable } from 'kysely';
import { LONGEST_DESCRIPTION, LONGEST_NAME, MOST_ORDERED_UNITS, MOST_UNITS } from '../../domain/limits.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { MOVEMENT_KINDS, type MovementKind } from '../../domain/stock-movement.ts';
import { SUMMARY_TRIGGERS } from './postgresql/2026-11-22-maintain-the-summary.ts';

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

interface ForeignKeyIndex<Property extends string> {
  readonly name: string;
  readonly properties: (Property | 'id')[];
}

interface Trigger {
  readonly name: string;
  readonly timing: 'after';
  readonly events: ('insert' | 'update' | 'delete')[];
  readonly when?: string;
  readonly body?: string;
  readonly expression?: string;
}

const onSqlite = {
  number: () => p.integer(),
  flag: () => p.integer().$type<0 | 1>(),
  key: <Text extends string = string>() => p.text().$type<Text>(),
  /** MikroORM adds an index for every foreign key, such as `pets_category_id_index`. SQLite appends the identifier to it. */
  indexesForeignKeys: true,
  foreignKeyIndex: <Property extends string>(_name: string, _property: Property): ForeignKeyIndex<Property>[] => [],
  between: (column: string, least: string, most: string) => `${column} between ${least} and ${most}`,
  // MikroORM reads the checks back from the text of the table, which it splits at every comma before a space.
  isOneOf: (column: string, texts: readonly string[]) => `${column} in (${texts.map((text) => `'${text}'`).join(',')})`,
  isNotEmpty: (column: string) => `${column} <> ''`,
  isJsonArray: (column: string) => `json_valid(${column}) and json_type(${column}) = 'array'`,
  /** Maintain `stock_summary`. */
  petTriggers: [
    { name: 'pets_counted', timing: 'after', events: ['insert'], body: changeOfSummary('+', 'new') },
    { name: 'pets_discounted', timing: 'after', events: ['delete'], body: changeOfSummary('-', 'old') },
    {
      name: 'pets_recounted',
      timing: 'after',
      events: ['update'],
      when: 'old.quantity <> new.quantity or old.status <> new.status',
      body: `${changeOfSummary('-', 'old')}; ${changeOfSummary('+', 'new')}`,
    },
  ] as Trigger[],
  statusOfStock:
    "case when quantity = 0 then 'sold' when held or quantity = reserved then 'pending' else 'available' end",
};

const onPostgresql: typeof onSqlite = {
  number: () => p.bigint('number'),
  flag: () => p.smallint().$type<0 | 1>(),
  key: (() => p.text().collation('C')) as unknown as typeof onSqlite.key,
  indexesForeignKeys: false,
  foreignKeyIndex: (name, property) => [{ name, properties: [property, 'id'] }],
  between: (column, least, most) => `${column} >= ${least} and ${column} <= ${most}`,
  isOneOf: (column, texts) => `${column} = any (array[${texts.map((text) => `'${text}'::text`).join(', ')}])`,
  isNotEmpty: (column) => `${column} <> ''::text`,
  isJsonArray: (column) => `jsonb_typeof(${column}::jsonb) = 'array'::text`,
  // MikroORM has no words for tables of changed rows, and compares only the names of these.
  petTriggers: [
    { name: 'pets_counted', timing: 'after', events: ['insert'], expression: SUMMARY_TRIGGERS.pets_counted },
    { name: 'pets_discounted', timing: 'after', events: ['delete'], expression: SUMMARY_TRIGGERS.pets_discounted },
    { name: 'pets_recounted', timing: 'after', events: ['update'], expression: SUMMARY_TRIGGERS.pets_recounted },
  ],
  statusOfStock:
    "case when quantity = 0 then 'sold'::text when held = 1 or quantity = reserved then 'pending'::text else 'available'::text end",
};

function changeOfSummary(sign: '+' | '-', row: 'old' | 'new'): string {
  return `update stock_summary set pets = pets ${sign} 1, units = units ${sign} ${row}.quantity where status = ${row}.status`;
}

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

  /** `data` is the resource right after the change, as JSON. */
  const event = { position: id(), type: p.text(), data: p.text(), at: number() };

  return { shared: [categories, pets, orders, movements, stockSummary, idempotencyRecords, apiKeys] as const, event };
}

const sqlite = tablesOn(onSqlite);

export const sqliteTables = [
  ...sqlite.shared,
  defineEntity({ name: 'EventRow', tableName: 'events', properties: sqlite.event }),
] as const;

const postgresql = tablesOn(onPostgresql);

export const postgresqlTables = [
  ...postgresql.shared,
  defineEntity({
    name: 'EventRow',
    tableName: 'events',
    properties: {
      ...postgresql.event,
      /** The id of its transaction: see `outbox.ts`. */
      transaction: onPostgresql.number(),
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
export type TableWithId = 'categories' | 'pets' | 'orders' | 'api_keys';
