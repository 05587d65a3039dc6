import { PUBLISHED_TYPES } from '../cloud-events.ts';
import { category } from './category-schemas.ts';
import { inventoryItem } from './inventory-schemas.ts';
import { order } from './order-schemas.ts';
import { pet } from './pet-schemas.ts';
import { dateTime, LARGEST_PAGE } from './schema-values.ts';

export const eventType = {
  type: 'string',
  description: 'What happened.',
  enum: PUBLISHED_TYPES,
} as const;

const position = { type: 'string', pattern: '^[1-9][0-9]*$' } as const;

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export const event = {
  type: 'object',
  description: 'An event of the store: CloudEvents 1.0 in the JSON format.',
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'sequence', 'datacontenttype', 'data'],
  properties: {
    specversion: { type: 'string', description: 'The version of CloudEvents.', pattern: '^1\\.0$' },
    id: { ...position, description: 'The position of the event in the log. Another event never has it.' },
    source: { type: 'string', format: 'uri-reference', description: 'The store: its public URL, or a URN.' },
    type: eventType,
    subject: {
      type: 'string',
      description: 'The path of the resource that the event is about, without the base path.',
    },
    time: { ...dateTime, description: 'When it happened.' },
    sequence: { ...position, description: 'The position again: later events have greater numbers.' },
    datacontenttype: { type: 'string', description: 'The media type of `data`: `application/json`.' },
    data: {
      description: 'The resource right after the change; for a deleted or cancelled one, as it was last.',
      anyOf: [pet, category, order, inventoryItem],
    },
  },
  example: {
    specversion: '1.0',
    id: '42',
    source: 'https://petstore.example',
    type: 'petstore.order.placed',
    subject: '/store/orders/3',
    time: '2026-11-21T10:15:30.000Z',
    sequence: '42',
    datacontenttype: 'application/json',
    data: order.example,
  },
} as const;

export const events = {
  type: 'array',
  description: 'A page of events, oldest first.',
  items: event,
  maxItems: LARGEST_PAGE,
  example: [event.example],
} as const;
