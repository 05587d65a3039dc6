import { Migration } from '@mikro-orm/migrations';

/** Renames `marks` to `commit_markers`. Only the catalogue changes, so this takes no time however many rows there are. */
export class NameCommitMarkers extends Migration {
  override up(): void {
    this.addSql('alter table "marks" rename to "commit_markers"');
    this.addSql('alter index "marks_pkey" rename to "commit_markers_pkey"');
    this.addSql('alter index "marks_by_at" rename to "commit_markers_by_at"');
  }
}
