import type { MigrationObject } from '@mikro-orm/core';
import { AddWebhooks } from './2026-11-22-add-webhooks.ts';
import { CommitInGroups } from './2026-11-22-commit-in-groups.ts';
import { IndexEveryList } from './2026-11-22-index-every-list.ts';
import { KeyIdempotencyRecords } from './2026-11-22-key-idempotency-records.ts';
import { MaintainTheSummary } from './2026-11-22-maintain-the-summary.ts';
import { NameCommitMarkers } from './2026-11-22-name-commit-markers.ts';
import { OpenTheStore } from './2026-11-22-open-the-store.ts';
import { SequenceEvents } from './2026-11-22-sequence-events.ts';

/** The first one; a database in which it ran belongs to this service. */
export const FIRST_MIGRATION = '2026-11-22-open-the-store-on-postgresql';

/** Every change of the tables, in order. A migration that was released is never edited. */
export const migrations: MigrationObject[] = [
  { name: FIRST_MIGRATION, class: OpenTheStore },
  { name: '2026-11-22-key-idempotency-records-on-postgresql', class: KeyIdempotencyRecords },
  { name: '2026-11-22-name-commit-markers-on-postgresql', class: NameCommitMarkers },
  { name: '2026-11-22-index-every-list-on-postgresql', class: IndexEveryList },
  { name: '2026-11-22-maintain-the-summary-on-postgresql', class: MaintainTheSummary },
  { name: '2026-11-22-commit-in-groups-on-postgresql', class: CommitInGroups },
  { name: '2026-11-22-add-webhooks-on-postgresql', class: AddWebhooks },
  { name: '2026-11-22-sequence-events-on-postgresql', class: SequenceEvents },
];
