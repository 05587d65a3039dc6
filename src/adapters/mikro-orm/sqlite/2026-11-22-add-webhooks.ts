import { Migration } from '@mikro-orm/migrations';

/** Adds webhooks and their deliveries. */
export class AddWebhooks extends Migration {
  override up(): void {
    this.addSql('create table "webhooks" ("id" integer not null primary key autoincrement, "data" text not null)');
    this.addSql(
      'create table "webhook_deliveries" ("id" integer not null primary key autoincrement, "webhook_id" integer not null, "created_at" integer not null, "data" text not null, constraint "webhook_deliveries_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id") on delete cascade on update restrict)',
    );
    this.addSql('create index "webhook_deliveries_webhook_id_index" on "webhook_deliveries" ("webhook_id")');
    this.addSql('create index "webhook_deliveries_by_created_at" on "webhook_deliveries" ("created_at", "id")');
  }
}
