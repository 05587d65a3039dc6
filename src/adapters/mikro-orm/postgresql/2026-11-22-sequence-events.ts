import { Migration } from '@mikro-orm/migrations';

/**
 * Events are appended to an outbox, and get their positions when they are moved to the log. Existing events keep their positions:
 * this migration waits until no transaction is writing events, so none can appear between them.
 */
export class SequenceEvents extends Migration {
  override up(): void {
    this.addSql('alter table "events" drop column "transaction"');
    this.addSql(`create table "outbox" (
      "id" bigserial primary key,
      "type" text not null,
      "data" text not null,
      "at" bigint not null
    )`);
    this.addSql('create table "event_purges" ("position" bigserial primary key)');
  }
}
