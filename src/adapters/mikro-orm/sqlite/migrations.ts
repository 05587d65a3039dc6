import type { MigrationObject } from '@mikro-orm/core';
import { OpenTheStore } from './2026-11-21-open-the-store.ts';
import { AddWebhooks } from './2026-11-22-add-webhooks.ts';
import { IndexEveryList } from './2026-11-22-index-every-list.ts';
import { KeepOutcomesAndKeys } from './2026-11-22-keep-outcomes-and-keys.ts';
import { KeyIdempotencyRecords } from './2026-11-22-key-idempotency-records.ts';
import { MaintainTheSummary } from './2026-11-22-maintain-the-summary.ts';
import { PurgeEvents } from './2026-11-22-purge-events.ts';

/** All migrations, in order. A released migration is never edited. */
export const migrations: MigrationObject[] = [
  { name: '2026-11-21-open-the-store', class: OpenTheStore },
  { name: '2026-11-22-keep-outcomes-and-keys', class: KeepOutcomesAndKeys },
  { name: '2026-11-22-key-idempotency-records', class: KeyIdempotencyRecords },
  { name: '2026-11-22-index-every-list', class: IndexEveryList },
  { name: '2026-11-22-maintain-the-summary', class: MaintainTheSummary },
  { name: '2026-11-22-add-webhooks', class: AddWebhooks },
  { name: '2026-11-22-purge-events', class: PurgeEvents },
];
