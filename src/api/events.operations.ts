import { LARGEST_ID } from '../domain/limits.ts';
import { eventSource, eventTypeOf, toCloudEvent } from './cloud-events.ts';
import { feedOperation, type Operation } from './operation.ts';
import { cursorParameters, DEFAULT_LIMIT } from './paging.ts';
import { events, eventType } from './schemas/event-schemas.ts';
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
      handle: ({ query: { after, type, limit = DEFAULT_LIMIT } }, { eventLog }) =>
        eventLog.read({ after, types: type?.map(eventTypeOf), limit }),
      show: (event) => toCloudEvent(event, source),
    }),
  ];
}
