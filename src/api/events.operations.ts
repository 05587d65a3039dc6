import { LARGEST_ID } from '../domain/limits.ts';
import { eventSource, eventTypeOf, toCloudEvent } from './cloud-events.ts';
import { type EventSelection, feedOperation, type Operation, type QueryOf } from './operation.ts';
import { cursorParameters, DEFAULT_LIMIT } from './paging.ts';
import { event, events, eventType } from './schemas/event-schemas.ts';
import { MOST_VALUES } from './schemas/schema-values.ts';
import type { ApiSettings } from './settings.ts';

const parameters = {
  after: {
    description:
      'Only events after this position. Without it, the page begins with the oldest event that is still available.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: LARGEST_ID },
  },
  type: {
    description: 'Only events of one of these types, comma-separated or repeated.',
    schema: { type: 'array', items: eventType, maxItems: MOST_VALUES },
    example: ['petstore.order.placed', 'petstore.order.completed'],
  },
  limit: cursorParameters.limit,
} as const;

export function eventOperations(settings: Pick<ApiSettings, 'publicUrl'>): readonly Operation[] {
  const source = eventSource(settings);
  return [
    feedOperation({
      operationId: 'listEvents',
      path: '/store/events',
      tag: 'Store',
      scope: 'events:read',
      stability: 'experimental',
      summary: 'List the events',
      description:
        'Returns a page of the event log, oldest first. Follow the link with `rel="next"` until there is none; a page may have fewer events than `limit` before that. From the events alone, a client can compute every pet, category, order and inventory entry.',
      query: parameters,
      response: { description: 'A page of events.', schema: events },
      refusals: ['events_expired'],
      stream: {
        description:
          'A live stream (server-sent events) that begins after `Last-Event-ID`, else after `after`, else with the next event. Each frame has the position as `id` and the event as `data`, on one line. A comment is sent every 15 seconds. `limit` has no effect.',
        example: `id: ${event.example.id}\ndata: ${JSON.stringify(event.example)}\n\n`,
        request: selectionOf,
      },
      handle: ({ query }, { eventLog }) =>
        eventLog.read({ ...selectionOf(query), limit: query.limit ?? DEFAULT_LIMIT }),
      show: (stored) => toCloudEvent(stored, source),
    }),
  ];
}

function selectionOf({ after, type }: QueryOf<typeof parameters>): EventSelection {
  return { after, types: type?.map(eventTypeOf) };
}
