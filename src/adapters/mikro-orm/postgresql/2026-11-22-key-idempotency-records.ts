import { Migration } from '@mikro-orm/migrations';

/**
 * Responses to requests that may be retried are found by one id, in a table that is the same on every database. The record of whether the
 * store was ever used is removed.
 */
export class KeyIdempotencyRecords extends Migration {
  override up(): void {
    this.addSql(`create table "idempotency_records" (
      "request_id" bytea not null,
      "fingerprint" bytea not null,
      "saved_at" bigint not null,
      "response" bytea not null,
      primary key ("request_id")
    )`);
    this.addSql('create index "idempotency_records_by_saved_at" on "idempotency_records" ("saved_at", "request_id")');
    // The id as the HTTP adapter makes it: the digest in base64url.
    this.addSql(`insert into "idempotency_records" ("request_id", "fingerprint", "saved_at", "response")
      select convert_to(translate(encode("request", 'base64'), '+/=', '-_'), 'UTF8'), "fingerprint", "at", "answer"
      from "outcomes" where "answer" is not null`);
    this.addSql('drop table "outcomes"');
    this.addSql('drop table "store"');
  }
}
