import type { WebhookDelivery, WebhookSnapshot } from '../application/ports/reader.ts';
import type { RotatedSecret } from '../application/webhook-desk.ts';
import { eventTypeOf, PUBLISHED_TYPES } from './cloud-events.ts';
import { formatDateTime } from './date-time.ts';
import { listOperation, type Operation, operation } from './operation.ts';
import { cursorParameters, pageResponse } from './paging.ts';
import {
  newWebhook,
  webhook,
  webhookDeliveries,
  webhookDelivery,
  webhookPatch,
  webhookSecret,
  webhooks,
} from './schemas/webhook-schemas.ts';

const shared = { tag: 'Store', scope: 'webhooks:write', stability: 'beta' } as const;
/** To receive events is to read them. */
const alsoReadsEvents = { furtherScopes: ['events:read'] } as const;

const links = {
  getWebhook: 'The webhook.',
  updateWebhook: 'Changes the webhook.',
  deleteWebhook: 'Deletes the webhook.',
  rotateWebhookSecret: 'Replaces its secret.',
  listWebhookDeliveries: 'Its deliveries.',
  pingWebhook: 'Tests the receiver.',
} as const;

export const webhookOperations: readonly Operation[] = [
  listOperation({
    ...shared,
    operationId: 'listWebhooks',
    path: '/store/webhooks',
    summary: 'List webhooks',
    description: 'Returns a page of webhooks, without their secrets.',
    query: cursorParameters,
    response: { description: 'A page of webhooks.', schema: webhooks },
    refusals: ['invalid_cursor'],
    handle: (call, { webhookDesk }) => {
      const { limit, cursor } = call.query;
      const [read, count] = [webhookDesk.list.bind(webhookDesk), webhookDesk.count.bind(webhookDesk)];
      return pageResponse(call, { of: 'webhooks', filter: {}, sort: 'id', limit, cursor, read, count });
    },
    show: toJson,
  }),
  operation({
    ...shared,
    ...alsoReadsEvents,
    operationId: 'createWebhook',
    method: 'post',
    path: '/store/webhooks',
    summary: 'Create a webhook',
    description:
      'Delivers the events from now on to a URL, one at a time and in their order, signed as Standard Webhooks specifies. The response contains the secret, once.',
    body: { description: 'The webhook to create.', schema: newWebhook },
    success: 201,
    response: { description: 'The created webhook, with its secret.', schema: webhook, links },
    refusals: [],
    handle: ({ body, options }, { webhookDesk }) => {
      const { url, types = PUBLISHED_TYPES, active } = body;
      return webhookDesk.create({ url, types: types.map(eventTypeOf), active }, options);
    },
    show: toJson,
    showOnce: ({ secret }) => ({ secret }),
    location: ({ id }) => `/store/webhooks/${id}`,
  }),
  operation({
    ...shared,
    operationId: 'getWebhook',
    method: 'get',
    path: '/store/webhooks/{webhookId}',
    summary: 'Get a webhook',
    description: 'Returns one webhook, without its secret.',
    conditional: true,
    success: 200,
    response: { description: 'The webhook.', schema: webhook },
    refusals: ['webhook_not_found'],
    handle: ({ path: { webhookId } }, { webhookDesk }) => webhookDesk.get(webhookId),
    show: toJson,
  }),
  operation({
    ...shared,
    ...alsoReadsEvents,
    operationId: 'updateWebhook',
    method: 'patch',
    path: '/store/webhooks/{webhookId}',
    summary: 'Change a webhook',
    description:
      'Changes the fields that the merge patch (RFC 7396) contains. A webhook that is activated again continues with the event at which it stopped, as far as events are still kept.',
    body: { description: 'The fields to change.', schema: webhookPatch },
    conditional: true,
    success: 200,
    response: { description: 'The changed webhook.', schema: webhook },
    refusals: ['webhook_not_found'],
    handle: ({ path: { webhookId }, body, options }, { webhookDesk }) => {
      const { types, ...change } = body;
      return webhookDesk.change(webhookId, { ...change, ...(types && { types: types.map(eventTypeOf) }) }, options);
    },
    show: toJson,
  }),
  operation({
    ...shared,
    operationId: 'deleteWebhook',
    method: 'delete',
    path: '/store/webhooks/{webhookId}',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and its deliveries. A delivery in progress is the last one.',
    conditional: true,
    success: 204,
    response: { description: 'The webhook was deleted.' },
    refusals: ['webhook_not_found'],
    handle: ({ path: { webhookId }, options }, { webhookDesk }) => webhookDesk.delete(webhookId, options),
    show: toJson,
  }),
  operation({
    ...shared,
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: '/store/webhooks/{webhookId}/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description: 'Returns a new secret, once. For 24 hours, deliveries are signed with both secrets.',
    success: 200,
    response: { description: 'The new secret.', schema: webhookSecret },
    refusals: ['webhook_not_found'],
    handle: ({ path: { webhookId }, options }, { webhookDesk }) => webhookDesk.rotateSecret(webhookId, options),
    show: ({ previousSecretExpiresAt }: RotatedSecret) => ({
      previousSecretExpiresAt: formatDateTime(previousSecretExpiresAt),
    }),
    showOnce: ({ secret }) => ({ secret }),
  }),
  listOperation({
    ...shared,
    operationId: 'listWebhookDeliveries',
    path: '/store/webhooks/{webhookId}/deliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Returns a page of the deliveries of one webhook, newest first. Old deliveries are removed.',
    query: cursorParameters,
    response: { description: 'A page of deliveries.', schema: webhookDeliveries },
    refusals: ['webhook_not_found', 'invalid_cursor'],
    handle: (call, { webhookDesk }) => {
      const { webhookId } = call.path;
      const { limit, cursor } = call.query;
      return pageResponse(call, {
        of: 'webhook deliveries',
        filter: { webhookId },
        sort: '-id',
        limit,
        cursor,
        read: (page) => webhookDesk.deliveries(webhookId, page),
        count: (most) => webhookDesk.countDeliveries(webhookId, most),
      });
    },
    show: deliveryToJson,
  }),
  operation({
    ...shared,
    operationId: 'redeliverWebhook',
    method: 'post',
    path: '/store/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    summary: 'Deliver an event again',
    description:
      'Requests another delivery of the same event, which is attempted once, also if the webhook is not active.',
    success: 202,
    response: { description: 'The requested delivery.', schema: webhookDelivery },
    refusals: ['webhook_not_found', 'delivery_not_found'],
    handle: ({ path: { webhookId, deliveryId }, options }, { webhookDesk }) =>
      webhookDesk.redeliver(webhookId, deliveryId, options),
    show: deliveryToJson,
  }),
  operation({
    ...shared,
    operationId: 'pingWebhook',
    method: 'post',
    path: '/store/webhooks/{webhookId}/ping',
    summary: 'Test the receiver of a webhook',
    description:
      'Requests a delivery of the type `petstore.webhook.ping`, which is attempted once, also if the webhook is not active.',
    success: 202,
    response: { description: 'The requested delivery.', schema: webhookDelivery },
    refusals: ['webhook_not_found'],
    handle: ({ path: { webhookId }, options }, { webhookDesk }) => webhookDesk.ping(webhookId, options),
    show: deliveryToJson,
  }),
];

function toJson({ id, url, types, active, createdAt, disabledReason }: WebhookSnapshot) {
  const published = types.map((type) => `petstore.${type}`);
  return { id, url, types: published, active, createdAt: formatDateTime(createdAt), disabledReason };
}

function deliveryToJson({ messageId, type, createdAt, lastAttemptAt, nextAttemptAt, ...delivery }: WebhookDelivery) {
  const { id, webhookId, status, attempts, responseStatus, error } = delivery;
  return {
    id,
    webhookId,
    eventId: messageId,
    type: `petstore.${type}`,
    status,
    attempts,
    createdAt: formatDateTime(createdAt),
    lastAttemptAt: lastAttemptAt && formatDateTime(lastAttemptAt),
    nextAttemptAt: nextAttemptAt && formatDateTime(nextAttemptAt),
    responseStatus,
    error,
  };
}
