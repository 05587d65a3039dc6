import { Migration } from '@mikro-orm/migrations';

/** Adds the position up to which retention has removed events. Existing events keep their positions, and are read as they are. */
export class PurgeEvents extends Migration {
  override up(): void {
    this.addSql('create table "event_purges" ("position" integer not null primary key autoincrement)');
  }
}
