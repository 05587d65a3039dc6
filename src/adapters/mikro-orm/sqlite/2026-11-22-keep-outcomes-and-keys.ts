import { Migration } from '@mikro-orm/migrations';
import { nameKey } from '../../../domain/text.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Adds tables for idempotency records and API keys, and recomputes name keys, which now equate more spellings. */
export class KeepOutcomesAndKeys extends Migration {
  override async up(): Promise<void> {
    this.#addTable(`create table "outcomes" (
      "id" integer not null primary key autoincrement,
      "caller" text not null,
      "operation" text not null,
      "key" text not null,
      "fingerprint" text not null,
      "at" integer not null,
      "answer" text not null,
      constraint "outcomes_caller_check" check (length(caller) <= 300),
      constraint "outcomes_operation_check" check (length(operation) <= 300),
      constraint "outcomes_key_check" check (length(key) <= 300)
    )`);
    this.addSql('create unique index "outcomes_request" on "outcomes" ("caller", "operation", "key")');
    this.addSql('create index "outcomes_by_at" on "outcomes" ("at", "id")');
    this.#addTable(`create table "api_keys" (
      "id" integer not null primary key autoincrement,
      "name" text not null,
      "scopes" text not null,
      "digest" text not null,
      "created_at" integer not null,
      "expires_at" integer null,
      "revoked_at" integer null,
      constraint "api_keys_name_check" check (length(name) between 1 and 100),
      constraint "api_keys_scopes_check" check (json_valid(scopes) and json_type(scopes) = 'array'),
      constraint "api_keys_digest_check" check (digest <> '')
    )`);
    await this.#renewNameKeys();
  }

  /**
   * If several categories now have the same key, the one that already has it keeps it, or else the one with the lowest
   * identifier gets it. The others keep their old keys, by which they are sorted and found, until they are renamed.
   */
  async #renewNameKeys(): Promise<void> {
    const database = (await this.driver.getConnection('write').getNativeClient()) as SqliteDatabase;
    database.function('petstore_name_key', { deterministic: true }, nameKey);
    this.addSql(
      'update or ignore categories set name_key = petstore_name_key(name) where name_key <> petstore_name_key(name)',
    );
    this.addSql('update pets set name_key = petstore_name_key(name) where name_key <> petstore_name_key(name)');
  }

  /** On one line: MikroORM reads the constraints back from the text of the table, and finds no others. */
  #addTable(sql: string): void {
    this.addSql(sql.replace(/\s*\n\s*/g, ' '));
  }
}
