import { LONGEST_URL } from '../../domain/limits.ts';
import { PUBLISHED_TYPES } from '../cloud-events.ts';
import { eventType } from './event-schemas.ts';
import { dateTime, id, LARGEST_PAGE } from './schema-values.ts';

export const webhookId = { ...id, description: 'The id of the webhook.' } as const;
export const deliveryId = { ...id, description: 'The id of the delivery.' } as const;

const url = {
  type: 'string',
  description:
    'Where events are delivered: an http or https URL without a user name, a password or a fragment. Its host must be on the public internet, unless the operator allows private addresses.',
  format: 'uri',
  minLength: 1,
  maxLength: LONGEST_URL,
} as const;

const types = {
  type: 'array',
  description: 'The types of the events that are delivered.',
  items: eventType,
  minItems: 1,
  maxItems: PUBLISHED_TYPES.length,
  uniqueItems: true,
} as const;

const active = { type: 'boolean', description: 'Whether events are delivered.' } as const;

const secret = {
  type: 'string',
  description:
    'Verifies the signatures of deliveries (Standard Webhooks). It is shown only once: a response that is repeated for an Idempotency-Key does not contain it.',
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
} as const;

export const newWebhook = {
  type: 'object',
  description: 'A webhook to create. If `types` is absent, it receives all types of events that this version has.',
  required: ['url'],
  properties: { url, types, active: { ...active, default: true } },
  additionalProperties: false,
  example: { url: 'https://example.com/petstore', types: ['petstore.order.placed'], active: true },
} as const;

export const webhookPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396) with at least one field.',
  minProperties: 1,
  properties: { url, types, active },
  additionalProperties: false,
  example: { active: false },
} as const;

export const webhook = {
  type: 'object',
  description: 'A receiver of events.',
  required: ['id', 'url', 'types', 'active', 'createdAt'],
  properties: {
    id: webhookId,
    url,
    types,
    active,
    createdAt: { ...dateTime, description: 'When it was created.' },
    disabledReason: {
      type: 'string',
      description: 'Why the service switched it off. Absent if the service did not, and once it is active again.',
    },
    secret: { ...secret, description: `Only in the response of createWebhook. ${secret.description}` },
  },
  example: {
    id: 3,
    url: 'https://example.com/petstore',
    types: ['petstore.order.placed'],
    active: true,
    createdAt: '2026-11-22T09:00:00.000Z',
  },
} as const;

export const webhooks = {
  type: 'array',
  description: 'A page of webhooks.',
  items: webhook,
  maxItems: LARGEST_PAGE,
  example: [webhook.example],
} as const;

export const webhookSecret = {
  type: 'object',
  description: 'The new secret of a webhook.',
  required: ['previousSecretExpiresAt'],
  properties: {
    secret,
    previousSecretExpiresAt: {
      ...dateTime,
      description: 'Until then each delivery is signed with both secrets; after that, with the new one only.',
    },
  },
  example: {
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    previousSecretExpiresAt: '2026-11-23T09:00:00.000Z',
  },
} as const;

export const webhookDeliveryStatus = {
  type: 'string',
  description: '`pending`: another attempt follows. `failed`: no further attempt is made.',
  enum: ['pending', 'delivered', 'failed'],
} as const;

export const webhookDelivery = {
  type: 'object',
  description: 'A message to the receiver of a webhook, and what became of it.',
  required: ['id', 'webhookId', 'eventId', 'type', 'status', 'attempts', 'createdAt'],
  properties: {
    id: deliveryId,
    webhookId,
    eventId: {
      type: 'string',
      description: 'The id of the event, which the receiver gets as `webhook-id`. A redelivery has the same one.',
    },
    type: { type: 'string', description: 'The type of the event, or `petstore.webhook.ping`.' },
    status: webhookDeliveryStatus,
    attempts: {
      type: 'integer',
      format: 'int32',
      description: 'The number of attempts so far.',
      minimum: 0,
      maximum: 1000,
    },
    createdAt: { ...dateTime, description: 'When it was created.' },
    lastAttemptAt: { ...dateTime, description: 'When the last attempt ended.' },
    nextAttemptAt: { ...dateTime, description: 'When the next attempt is due.' },
    responseStatus: {
      type: 'integer',
      format: 'int32',
      description: 'The status of the last response.',
      minimum: 100,
      maximum: 999,
    },
    error: { type: 'string', description: 'Why the last attempt had no response.' },
  },
  example: {
    id: 12,
    webhookId: 3,
    eventId: '41',
    type: 'petstore.order.placed',
    status: 'delivered',
    attempts: 1,
    createdAt: '2026-11-22T09:00:00.000Z',
    lastAttemptAt: '2026-11-22T09:00:00.120Z',
    responseStatus: 204,
  },
} as const;

export const webhookDeliveries = {
  type: 'array',
  description: 'A page of deliveries.',
  items: webhookDelivery,
  maxItems: LARGEST_PAGE,
  example: [webhookDelivery.example],
} as const;
