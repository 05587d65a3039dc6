import type { StoredEvent } from '../application/ports/event-log.ts';
import type { WebhookDelivery } from '../application/ports/reader.ts';
import { EVENT_TYPES, type EventType, subjectOf } from '../domain/events.ts';
import { categoryToJson } from './categories.operations.ts';
import { formatDateTime } from './date-time.ts';
import { inventoryItemToJson } from './inventory.operations.ts';
import { orderToJson } from './orders.operations.ts';
import { petToJson } from './pets.operations.ts';
import type { ApiSettings } from './settings.ts';

const PREFIX = 'petstore.';

/** The type of an event as it is published, such as `petstore.order.placed`. */
export type PublishedType = `${typeof PREFIX}${EventType}`;

export function publishedTypeOf(type: EventType): PublishedType {
  return `${PREFIX}${type}`;
}

export const PUBLISHED_TYPES: readonly PublishedType[] = (Object.keys(EVENT_TYPES) as EventType[]).map(publishedTypeOf);

export function eventTypeOf(type: PublishedType): EventType {
  return type.slice(PREFIX.length) as EventType;
}

/** The paths of the interface, without the base path. */
const PATHS = {
  pet: '/store/pets/',
  category: '/categories/',
  order: '/store/orders/',
  inventory: '/store/inventory/',
};

/** The store, where it has no public address. */
const STORE_URN = 'urn:petstore:store';

/** The `source` of every event of the store. */
export function eventSource({ publicUrl }: Pick<ApiSettings, 'publicUrl'>): string {
  return publicUrl || STORE_URN;
}

/** An event as clients see it, on a page, in a stream and in a webhook: CloudEvents 1.0, JSON format. A pure function. */
export function toCloudEvent(event: StoredEvent, source: string) {
  const { kind, id: subject } = subjectOf(event);
  const id = String(event.position);
  return {
    specversion: '1.0',
    id,
    source,
    type: publishedTypeOf(event.type),
    subject: `${PATHS[kind]}${subject}`,
    time: formatDateTime(event.at),
    sequence: id,
    datacontenttype: 'application/json',
    data: dataOf(event),
  };
}

/** The message of a ping, in the form of an event. Its id is not a position. */
export function pingMessage({ messageId, type, webhookId, createdAt }: WebhookDelivery, source: string) {
  return {
    specversion: '1.0',
    id: messageId,
    source,
    type: `${PREFIX}${type}`,
    subject: `/store/webhooks/${webhookId}`,
    time: formatDateTime(createdAt),
  };
}

/** The resource as the interface shows it. */
function dataOf(event: StoredEvent) {
  switch (event.type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.status_changed':
    case 'pet.deleted':
      return petToJson(event.data);
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return categoryToJson(event.data);
    case 'order.placed':
    case 'order.updated':
    case 'order.completed':
    case 'order.cancelled':
      return orderToJson(event.data);
    case 'inventory.counted':
    case 'inventory.written_off':
    case 'inventory.restocked':
      return inventoryItemToJson(event.data);
  }
}
