import { Migration } from '@mikro-orm/migrations';

/**
 * Every transaction is marked in `commit_markers`, so events need no unit of work beside them. The counters of rate limits are lost in a
 * crash of the server, which costs less than a durable write per request.
 */
export class CommitInGroups extends Migration {
  override up(): void {
    this.addSql('alter table "events" drop column "unit"');
    this.addSql('alter table "rate_limits" set unlogged');
  }
}
