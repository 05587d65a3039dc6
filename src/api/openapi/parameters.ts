import { isRepeatable, type Operation, type QueryParameter } from '../operation.ts';
import { cursorParameters } from '../paging.ts';
import { category } from '../schemas/category-schemas.ts';
import { order } from '../schemas/order-schemas.ts';
import { pet } from '../schemas/pet-schemas.ts';
import { categoryId, id, orderId, petId } from '../schemas/schema-values.ts';
import { deliveryId, webhook, webhookDelivery, webhookId } from '../schemas/webhook-schemas.ts';
import { type Json, schemaObject } from './schema-objects.ts';

/** A parameter as the document describes it, and the name of the component if several operations share it. */
interface Described {
  readonly component?: string;
  readonly parameter: Json;
}

/** The parameters of an operation, shared ones as references. */
export function parameterObjects(operation: Operation): Json[] {
  return parametersOf(operation).map(({ component, parameter }) =>
    component === undefined ? parameter : { $ref: `#/components/parameters/${component}` },
  );
}

/** `components.parameters`. */
export function parameterComponents(operations: readonly Operation[]): Json {
  const shared = operations.flatMap(parametersOf).filter(({ component }) => component !== undefined);
  return Object.fromEntries(shared.map(({ component, parameter }) => [component, parameter]));
}

function parametersOf(operation: Operation): Described[] {
  const inPath = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => pathParameter(name));
  const inQuery = Object.entries(operation.query ?? {}).map(([name, parameter]) => queryParameter(name, parameter));
  return [...inPath, ...inQuery, ...headerParameters(operation)];
}

/** Ids in paths, with the ids that the examples of the schemas have. */
const IDS = {
  petId: { component: 'PetId', schema: petId, example: pet.example.id },
  categoryId: { component: 'CategoryId', schema: categoryId, example: category.example.id },
  orderId: { component: 'OrderId', schema: orderId, example: order.example.id },
  webhookId: { component: 'WebhookId', schema: webhookId, example: webhook.example.id },
  deliveryId: { component: 'DeliveryId', schema: deliveryId, example: webhookDelivery.example.id },
} as const;

function pathParameter(name: string): Described {
  const known = Object.hasOwn(IDS, name) ? IDS[name as keyof typeof IDS] : undefined;
  const { description } = known?.schema ?? { description: 'The id.' };
  const parameter = { name, in: 'path', required: true, description, schema: id, example: known?.example ?? 1 };
  return known ? { component: known.component, parameter } : { parameter };
}

const PAGING: Readonly<Record<string, string>> = { limit: 'Limit', cursor: 'Cursor' };

function queryParameter(name: string, given: QueryParameter): Described {
  const { description, schema, example, scopes } = given;
  const needs = Object.entries(scopes ?? {}).map(
    ([value, scope]) => ` \`${value}\` also needs the scope \`${scope}\`.`,
  );
  const parameter = {
    name,
    in: 'query',
    required: false,
    description: description + needs.join(''),
    ...(scopes && { 'x-required-scope': scopes }),
    ...(schema['type'] === 'array' && { style: 'form', explode: true }),
    schema: schemaObject(schema),
    ...(example !== undefined && { example }),
  };
  const component = Object.values<unknown>(cursorParameters).includes(given) ? PAGING[name] : undefined;
  return component === undefined ? { parameter } : { component, parameter };
}

function headerParameters(operation: Operation): Described[] {
  const { method, success, conditional, paged, stream } = operation;
  return [
    ...(method === 'get' && success === 200 ? [IF_NONE_MATCH] : []),
    ...(method !== 'get' && conditional ? [conditional === 'required' ? REQUIRED_IF_MATCH : IF_MATCH] : []),
    ...(isRepeatable(operation) ? [IDEMPOTENCY_KEY] : []),
    ...(paged ? [PREFER] : []),
    ...(stream ? [LAST_EVENT_ID] : []),
  ];
}

/** A header with entity tags (RFC 9110, section 13.1). */
const TAGS = { type: 'string', pattern: '^(\\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$' } as const;

/*
 * These have no example: programs that fill in every example would send a key that was used before, or a condition that
 * does not hold.
 */
const IF_NONE_MATCH = header('IfNoneMatch', {
  name: 'If-None-Match',
  description: 'Returns 304 if one of these entity tags is the current one.',
  schema: TAGS,
});
const IF_MATCH = header('IfMatch', {
  name: 'If-Match',
  description: 'Changes the resource only if one of these entity tags is the current one.',
  schema: TAGS,
});
const REQUIRED_IF_MATCH: Described = {
  component: 'RequiredIfMatch',
  parameter: { ...IF_MATCH.parameter, required: true },
};
const IDEMPOTENCY_KEY = header('IdempotencyKey', {
  name: 'Idempotency-Key',
  description:
    'Makes retries safe: a request with a key is executed once, and every retry within 24 hours gets the first response. Use a new key for every new request.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
});
const PREFER = header('Prefer', {
  name: 'Prefer',
  description:
    '`return=total-count` requests `X-Total-Count`. The service ignores it where the list has more than 100,000 items.',
  schema: { type: 'string' },
});
const LAST_EVENT_ID = header('LastEventId', {
  name: 'Last-Event-ID',
  description:
    'Resumes the stream after the event with this id. It precedes `after`, and has no effect on a JSON page.',
  schema: { type: 'string', pattern: '^(0|[1-9]\\d{0,15})$' },
});

function header(
  component: string,
  { name, description, schema }: { name: string; description: string; schema: Json },
): Described {
  return { component, parameter: { name, in: 'header', required: false, description, schema } };
}
