import { Migration } from '@mikro-orm/migrations';
import { APPLICATION_ID } from './file-mark.ts';

/** The store's first tables. */
export class OpenTheStore extends Migration {
  override up(): void {
    this.#addTable(`create table "categories" (
      "id" integer not null primary key autoincrement,
      "name" text not null,
      "name_key" text not null,
      "description" text null,
      constraint "categories_name_check" check (length(name) between 1 and 100),
      constraint "categories_description_check" check (length(description) <= 1000)
    )`);
    this.addSql('create unique index "categories_name_key" on "categories" ("name_key")');
    this.#addTable(`create table "pets" (
      "id" integer not null primary key autoincrement,
      "name" text not null,
      "name_key" text not null,
      "category_id" integer not null,
      "quantity" integer not null,
      "reserved" integer not null,
      "held" integer not null,
      "status" text not null,
      constraint "pets_category_id_foreign" foreign key ("category_id") references "categories" ("id") on update restrict on delete restrict,
      constraint "pets_name_check" check (length(name) between 1 and 100),
      constraint "pets_quantity_check" check (quantity between 0 and 1000000000),
      constraint "pets_reserved_check" check (reserved between 0 and quantity),
      constraint "pets_held_check" check (held between 0 and 1),
      constraint "pets_status_check" check (status = case when quantity = 0 then 'sold' when held or quantity = reserved then 'pending' else 'available' end)
    )`);
    this.addSql('create index "pets_category_id_index" on "pets" ("category_id")');
    this.addSql('create index "pets_by_status" on "pets" ("status", "id")');
    this.addSql('create index "pets_by_category_status" on "pets" ("category_id", "status", "id")');
    this.addSql('create index "pets_by_name" on "pets" ("name_key", "id")');
    this.addSql('create index "pets_by_category_name" on "pets" ("category_id", "name_key", "id")');
    this.addSql('create index "pets_by_quantity" on "pets" ("quantity", "id")');
    this.addSql('create index "pets_by_status_quantity" on "pets" ("status", "quantity", "id")');
    this.#addTable(`create table "orders" (
      "id" integer not null primary key autoincrement,
      "pet_id" integer not null,
      "quantity" integer not null,
      "ship_date" integer null,
      "complete" integer not null,
      constraint "orders_pet_id_foreign" foreign key ("pet_id") references "pets" ("id") on update restrict on delete restrict,
      constraint "orders_quantity_check" check (quantity between 1 and 1000000),
      constraint "orders_complete_check" check (complete between 0 and 1)
    )`);
    this.addSql('create index "orders_pet_id_index" on "orders" ("pet_id")');
    this.addSql('create index "orders_by_complete" on "orders" ("complete", "id")');
    this.addSql('create index "orders_by_ship_date" on "orders" ("ship_date", "id")');
    this.#addTable(`create table "movements" (
      "id" integer not null primary key autoincrement,
      "pet_id" integer not null,
      "kind" text not null,
      "quantity" integer not null,
      "reserved" integer not null,
      "order_id" integer null,
      "at" integer not null,
      constraint "movements_pet_id_foreign" foreign key ("pet_id") references "pets" ("id") on update restrict on delete cascade,
      constraint "movements_kind_check" check (kind in ('opened','counted','reserved','released','shipped','written_off','restocked'))
    )`);
    this.addSql('create index "movements_pet_id_index" on "movements" ("pet_id")');
    this.#addTable(`create table "events" (
      "position" integer not null primary key autoincrement,
      "type" text not null,
      "data" text not null,
      "at" integer not null
    )`);
    this.addSql(`pragma application_id = ${APPLICATION_ID}`);
  }

  /** On one line: MikroORM reads the constraints back from the text of the table, and finds no others. */
  #addTable(sql: string): void {
    this.addSql(sql.replace(/\s*\n\s*/g, ' '));
  }
}
