import { EVENT_TYPES, type EventType, type SubjectKind } from '../../domain/events.ts';
import { publishedTypeOf } from '../cloud-events.ts';
import { EVENT_STREAM_TYPE } from '../media-types.ts';
import { lifecycleExtensions } from '../openapi/lifecycle-extensions.ts';
import { type Json, schemaComponents, schemaObject } from '../openapi/schema-objects.ts';
import { securityOf, securitySchemes } from '../openapi/security.ts';
import { isServed, type Operation } from '../operation.ts';
import { category } from '../schemas/category-schemas.ts';
import { event } from '../schemas/event-schemas.ts';
import { inventoryItem } from '../schemas/inventory-schemas.ts';
import { order } from '../schemas/order-schemas.ts';
import { pet } from '../schemas/pet-schemas.ts';
import { API_VERSION, type ApiSettings } from '../settings.ts';

const CLOUD_EVENT = 'application/cloudevents+json';

/** The schema of the `data` of an event, by the kind of its subject. */
const DATA: Readonly<Record<SubjectKind, { readonly example: object }>> = {
  pet,
  category,
  order,
  inventory: inventoryItem,
};

const TYPES = Object.keys(EVENT_TYPES) as EventType[];

/** A way in which the service sends its events. Each has every message. */
interface EventChannel {
  readonly name: string;
  /** `null` where the receiver chooses it. */
  readonly address: string | null;
  readonly title: string;
  readonly description: string;
  /** Further fields of the channel, and of its operation. */
  readonly channel: Json;
  readonly operation: Json;
}

/** The AsyncAPI 3.0 document of the events, made from the same schemas as the OpenAPI document. */
export function asyncApiDocument(operations: readonly Operation[], settings: ApiSettings): Json {
  const channels = operations
    .filter((operation) => operation.stream && isServed(operation, settings))
    .map((operation) => streamChannel(operation, settings));
  const messages = Object.fromEntries(TYPES.map((type) => [messageName(type), messageObject(type)]));
  const parts = {
    channels: Object.fromEntries(channels.map((channel) => [channel.name, channelObject(channel)])),
    operations: Object.fromEntries(channels.map((channel) => [`${channel.name}Send`, operationObject(channel)])),
  };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Petstore events',
      version: API_VERSION,
      description: [
        'The events of the store: CloudEvents 1.0 in the JSON format. Each is written in the transaction of the change that it reports, and delivered at least once, in order.',
        'The `id` of an event is its position in the log; another event never has it. From the events alone, a consumer can compute every pet, category, order and inventory entry.',
      ].join('\n\n'),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    ...(settings.publicUrl !== '' && { servers: { petstore: serverObject(settings.publicUrl) } }),
    defaultContentType: CLOUD_EVENT,
    ...parts,
    components: {
      messages,
      schemas: schemasIn({ messages, ...parts }),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes(settings.credentials)).map(([name, scheme]) => [
          name,
          asyncScheme(scheme as Json),
        ]),
      ),
    },
  };
}

function streamChannel(operation: Operation, settings: ApiSettings): EventChannel {
  const { operationId, method, path, stream, scope, query = {} } = operation;
  const alternatives = securityOf(operation, settings.credentials).map((schemes) => Object.keys(schemes));
  const isOpen = alternatives.some((schemes) => schemes.length === 0);
  const parameters = Object.entries(query).map(([name, { description, schema }]) => [
    name,
    { ...(asyncSchema(schemaObject(schema)) as Json), description },
  ]);
  return {
    name: 'stream',
    address: settings.basePath + path,
    title: 'The live stream of events',
    description: `${stream?.description} It is the response of ${operationId} to a client that prefers \`${EVENT_STREAM_TYPE}\`. EventSource cannot send headers: with a credential, browsers read the stream with a streaming \`fetch\`.`,
    channel: { ...lifecycleExtensions(operation), 'x-required-scope': scope },
    operation: {
      ...(!isOpen && {
        security: alternatives.flat().map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
      }),
      bindings: {
        http: {
          method: method.toUpperCase(),
          query: { type: 'object', properties: Object.fromEntries(parameters) },
          bindingVersion: '0.3.0',
        },
      },
    },
  };
}

function channelObject({ address, title, description, channel }: EventChannel): Json {
  const messages = TYPES.map(messageName).map((name) => [name, { $ref: `#/components/messages/${name}` }]);
  return { address, title, description, messages: Object.fromEntries(messages), ...channel };
}

function operationObject({ name, title, operation }: EventChannel): Json {
  return { action: 'send', channel: { $ref: `#/channels/${name}` }, title, ...operation };
}

function messageObject(type: EventType): Json {
  const name = publishedTypeOf(type);
  const data = DATA[EVENT_TYPES[type]];
  return {
    name,
    title: name,
    contentType: CLOUD_EVENT,
    payload: {
      allOf: [
        schemaObject(event),
        { type: 'object', properties: { type: { type: 'string', const: name }, data: schemaObject(data) } },
      ],
    },
    examples: [{ name: messageName(type), payload: { ...event.example, type: name, data: data.example } }],
  };
}

/** `pet.status_changed` is `petStatusChanged`: some tools allow no dot in the name of a component. */
function messageName(type: EventType): string {
  return type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function serverObject(publicUrl: string): Json {
  const { host, protocol, pathname } = new URL(publicUrl);
  return {
    host,
    protocol: protocol.slice(0, -1),
    ...(pathname !== '/' && { pathname }),
    description: 'This service.',
  };
}

/** The schemas that something refers to, directly or through others. */
function schemasIn(value: unknown, found: Record<string, unknown> = {}): Json {
  const all = schemaComponents();
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = asyncSchema(all[name]);
    schemasIn(found[name], found);
  }
  return found;
}

/** A schema of OpenAPI 3.0 in the dialect of AsyncAPI: JSON Schema, draft 7. */
function asyncSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asyncSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === 'example' ? ['examples', [value]] : [key, asyncSchema(value)],
    ),
  );
}

/** AsyncAPI has another name for a key in a header of HTTP. */
function asyncScheme(scheme: Json): Json {
  return scheme['type'] === 'apiKey' ? { ...scheme, type: 'httpApiKey' } : scheme;
}
