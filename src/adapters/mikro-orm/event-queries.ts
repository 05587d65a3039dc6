import { sql } from 'kysely';
import {
  type EventBatch,
  type EventRequest,
  EventsExpired,
  type StoredEvent,
} from '../../application/ports/event-log.ts';
import type { EventRetention } from '../../application/ports/outbox.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { ReadSession, WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

/** How far one read searches for events of some types. */
const MOST_SEARCHED = 10_000;

const MOST_POSITION = Number.MAX_SAFE_INTEGER;

/** An event, or nulls if there is none; and the state of the log at the same moment. */
interface Row extends Partial<Omit<RowOf<'events'>, 'position'>> {
  readonly purged: number;
  readonly newest: number;
  /** Whether the outbox has events without a position: 0 or 1. */
  readonly pending: number;
  readonly position: number | null;
}

export interface EventRows extends EventBatch {
  readonly purged: number;
  readonly pending: boolean;
}

/**
 * Reads one snapshot of the log: one statement. `pending` is an SQL expression: see {@link Row}.
 * @throws {EventsExpired}
 */
export async function readEvents(
  session: ReadSession,
  { after: given, types, limit }: EventRequest,
  pending: string,
): Promise<EventRows> {
  const after = given ?? (await purgedPosition(session));
  const upTo = types ? Math.min(after + MOST_SEARCHED, MOST_POSITION) : MOST_POSITION;
  const ofTypes = types && session.dialect.isOneOf('type', types);
  const text = `select purges.purged, (select coalesce(max(position), 0) from events) as newest, ${pending} as pending,
      event.position, event.type, event.data, event.at
    from (select coalesce(max(position), 0) as purged from event_purges) as purges
    left join (select position, type, data, at from events where position > ? and position <= ?${ofTypes ? ` and ${ofTypes.sql}` : ''}
      order by position limit ?) as event on true
    order by event.position`;
  const rows = await session.rows<Row>({ sql: text, values: [after, upTo, ...(ofTypes?.values ?? []), limit] });
  const { purged, newest, pending: isPending } = rows[0] as Row;
  if (after < purged) {
    if (given === undefined) return readEvents(session, { types, limit }, pending);
    throw new EventsExpired(purged + 1);
  }
  const last = Math.max(newest, purged);
  const events = rows.flatMap(eventIn);
  const position = events.length === limit ? (events.at(-1)?.position ?? after) : Math.max(after, Math.min(upTo, last));
  return { events, position, last, purged, pending: isPending === 1 };
}

const PURGED = statement((db) =>
  db.selectFrom('event_purges').select(({ fn }) => fn.coalesce(fn.max('position'), sql.lit(0)).as('position')),
);

async function purgedPosition(session: ReadSession): Promise<number> {
  return (await session.one(PURGED, {}))?.position ?? 0;
}

function eventIn({ position, type, data, at }: Row): StoredEvent[] {
  if (position === null || data === undefined) return [];
  return [{ type, data: JSON.parse(data), at, position } as DomainEvent & { position: number }];
}

/** The last one of the oldest events that may be removed. */
const LAST_EXPIRED = statement((db, { before, upTo, most }: EventRetention & { most: number }) =>
  db
    .with('oldest', (with_) => with_.selectFrom('events').select(['position', 'at']).orderBy('position').limit(most))
    .selectFrom('oldest')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('position', '<', ({ selectFrom, fn }) =>
      selectFrom('oldest')
        .select(({ fn: { min } }) => fn.coalesce(min('position'), sql.lit(MOST_POSITION)).as('position'))
        .where('at', '>=', before)
        .where('position', '>', upTo)
        .$asScalar(),
    ),
);
const DELETE = statement((db, { position }: { position: number }) =>
  db.deleteFrom('events').where('position', '<=', position),
);
const FORGET_PURGES = statement((db) => db.deleteFrom('event_purges'));
const SAVE_PURGE = statement((db, { position }: { position: number }) =>
  db.insertInto('event_purges').values({ position }),
);

/** Removes events as {@link Outbox} states, and saves how far the log was emptied. */
export async function purgeEvents(session: WriteSession, retention: EventRetention, most: number): Promise<number> {
  const { position } = (await session.one(LAST_EXPIRED, { ...retention, most })) ?? { position: null };
  if (position === null) return 0;
  const count = await session.run(DELETE, { position });
  await session.run(FORGET_PURGES, {});
  await session.run(SAVE_PURGE, { position });
  return count;
}
