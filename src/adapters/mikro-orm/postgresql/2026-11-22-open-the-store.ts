import { Migration } from '@mikro-orm/migrations';

/** The store's first tables on PostgreSQL. */
export class OpenTheStore extends Migration {
  override up(): void {
    this.addSql(`create table "store" (
      "id" smallint primary key,
      "touched" smallint not null,
      constraint "store_id_check" check (id = 1)
    )`);
    this.addSql('insert into "store" values (1, 0)');
    this.addSql(`create table "categories" (
      "id" bigserial primary key,
      "name" text not null,
      "name_key" text collate "C" not null,
      "description" text null,
      constraint "categories_name_key" unique ("name_key"),
      constraint "categories_name_check" check (length(name) >= 1 and length(name) <= 100),
      constraint "categories_description_check" check (length(description) <= 1000)
    )`);
    this.addSql(`create table "pets" (
      "id" bigserial primary key,
      "name" text not null,
      "name_key" text collate "C" not null,
      "category_id" bigint not null,
      "quantity" bigint not null,
      "reserved" bigint not null,
      "held" smallint not null,
      "status" text collate "C" not null,
      constraint "pets_category_id_foreign" foreign key ("category_id") references "categories" ("id") on update restrict on delete restrict,
      constraint "pets_name_check" check (length(name) >= 1 and length(name) <= 100),
      constraint "pets_quantity_check" check (quantity >= 0 and quantity <= 1000000000),
      constraint "pets_reserved_check" check (reserved >= 0 and reserved <= quantity),
      constraint "pets_held_check" check (held >= 0 and held <= 1),
      constraint "pets_status_check" check (status = case when quantity = 0 then 'sold'::text when held = 1 or quantity = reserved then 'pending'::text else 'available'::text end)
    )`);
    this.addSql('create index "pets_by_category" on "pets" ("category_id", "id")');
    this.addSql('create index "pets_by_status" on "pets" ("status", "id")');
    this.addSql('create index "pets_by_category_status" on "pets" ("category_id", "status", "id")');
    this.addSql('create index "pets_by_name" on "pets" ("name_key", "id")');
    this.addSql('create index "pets_by_category_name" on "pets" ("category_id", "name_key", "id")');
    this.addSql('create index "pets_by_quantity" on "pets" ("quantity", "id")');
    this.addSql('create index "pets_by_status_quantity" on "pets" ("status", "quantity", "id")');
    this.addSql(`create table "orders" (
      "id" bigserial primary key,
      "pet_id" bigint not null,
      "quantity" bigint not null,
      "ship_date" bigint null,
      "complete" smallint not null,
      constraint "orders_pet_id_foreign" foreign key ("pet_id") references "pets" ("id") on update restrict on delete restrict,
      constraint "orders_quantity_check" check (quantity >= 1 and quantity <= 1000000),
      constraint "orders_complete_check" check (complete >= 0 and complete <= 1)
    )`);
    this.addSql('create index "orders_by_pet" on "orders" ("pet_id", "id")');
    this.addSql('create index "orders_by_complete" on "orders" ("complete", "id")');
    this.addSql('create index "orders_by_ship_date" on "orders" ("ship_date", "id")');
    this.addSql(`create table "movements" (
      "id" bigserial primary key,
      "pet_id" bigint not null,
      "kind" text not null,
      "quantity" bigint not null,
      "reserved" bigint not null,
      "order_id" bigint null,
      "at" bigint not null,
      constraint "movements_pet_id_foreign" foreign key ("pet_id") references "pets" ("id") on update restrict on delete cascade,
      constraint "movements_kind_check" check (kind = any (array['opened'::text, 'counted'::text, 'reserved'::text, 'released'::text, 'shipped'::text, 'written_off'::text, 'restocked'::text]))
    )`);
    this.addSql('create index "movements_by_pet" on "movements" ("pet_id", "id")');
    this.addSql(`create table "events" (
      "position" bigserial primary key,
      "transaction" bigint not null,
      "unit" uuid not null,
      "type" text not null,
      "data" text not null,
      "at" bigint not null
    )`);
    this.addSql('create table "marks" ("unit" uuid primary key, "at" bigint not null)');
    this.addSql('create index "marks_by_at" on "marks" ("at")');
    this.addSql(`create table "outcomes" (
      "id" bigserial primary key,
      "request" bytea not null,
      "fingerprint" bytea null,
      "answer" bytea null,
      "at" bigint not null,
      constraint "outcomes_request" unique ("request"),
      constraint "outcomes_request_check" check (octet_length(request) = 32)
    )`);
    this.addSql('create index "outcomes_by_at" on "outcomes" ("at", "id")');
    this.addSql(`create table "api_keys" (
      "id" bigserial primary key,
      "name" text not null,
      "scopes" text not null,
      "digest" text not null,
      "created_at" bigint not null,
      "expires_at" bigint null,
      "revoked_at" bigint null,
      constraint "api_keys_name_check" check (length(name) >= 1 and length(name) <= 100),
      constraint "api_keys_scopes_check" check (jsonb_typeof(scopes::jsonb) = 'array'::text),
      constraint "api_keys_digest_check" check (digest <> ''::text)
    )`);
    this.addSql(`create table "rate_limits" (
      "key" text primary key,
      "points" integer not null default 0,
      "expire" bigint null
    )`);
  }
}
