import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Identifies idempotency records by one request id, in a table that is the same on every database. */
export class KeyIdempotencyRecords extends Migration {
  override async up(): Promise<void> {
    const database = (await this.driver.getConnection('write').getNativeClient()) as SqliteDatabase;
    database.function('petstore_request_id', { deterministic: true }, requestId);
    this.addSql(
      `create table "idempotency_records" (
      "request_id" blob not null,
      "fingerprint" blob not null,
      "saved_at" integer not null,
      "response" blob not null,
      primary key ("request_id")
    )`.replace(/\s*\n\s*/g, ' '),
    );
    this.addSql('create index "idempotency_records_by_saved_at" on "idempotency_records" ("saved_at", "request_id")');
    this.addSql(`insert into "idempotency_records" ("request_id", "fingerprint", "saved_at", "response")
      select petstore_request_id("caller", "operation", "key"), cast("fingerprint" as blob), "at", cast("answer" as blob)
      from "outcomes"`);
    this.addSql('drop table "outcomes"');
  }
}

/** The id that the HTTP adapter computes from the three texts that identified a request before. */
function requestId(caller: string, operation: string, key: string): Buffer {
  return Buffer.from(
    createHash('sha256')
      .update(JSON.stringify([caller, operation, key]))
      .digest('base64url'),
  );
}
