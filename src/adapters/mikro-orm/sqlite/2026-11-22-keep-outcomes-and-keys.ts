import { Migration } from '@mikro-orm/migrations';
import { nameKey } from '../../../domain/text.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Tables for what was answered and for API keys; and names get the keys by which more spellings are one name. */
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
   * Categories whose names have become one: the one that has the key already keeps it, or else the first by identifier
   * gets it. Each later one keeps its old key, until it is renamed: it stays as it is, and is sorted and found by that.
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
