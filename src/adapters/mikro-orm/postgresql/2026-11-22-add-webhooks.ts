import { Migration } from '@mikro-orm/migrations';

/** Adds webhooks and their deliveries. */
export class AddWebhooks extends Migration {
  override up(): void {
    this.addSql('create table "webhooks" ("id" bigserial primary key, "data" text not null)');
    this.addSql(`create table "webhook_deliveries" (
      "id" bigserial primary key,
      "webhook_id" bigint not null,
      "created_at" bigint not null,
      "data" text not null,
      constraint "webhook_deliveries_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id") on update restrict on delete cascade
    )`);
    this.addSql('create index "webhook_deliveries_by_webhook" on "webhook_deliveries" ("webhook_id", "id")');
    this.addSql('create index "webhook_deliveries_by_created_at" on "webhook_deliveries" ("created_at", "id")');
  }
}
