import { PET_STATUSES } from 'petstore-service/domain/pet-status';
import { INVALID, OPERATIONS } from './operations.js';

const ID = { type: 'integer', format: 'int64' };
const INT32 = { type: 'integer', format: 'int32' };
const TEXT = { type: 'string' };
const LABEL = { type: 'object', properties: { id: ID, name: TEXT } };

const SCHEMAS = {
  Pet: {
    type: 'object',
    required: ['name', 'photoUrls'],
    properties: {
      id: ID,
      category: 'Category',
      name: TEXT,
      photoUrls: { type: 'array', items: TEXT },
      tags: { type: 'array', items: 'Tag' },
      status: { type: 'string', enum: PET_STATUSES },
    },
  },
  Category: LABEL,
  Tag: LABEL,
  Order: {
    type: 'object',
    properties: {
      id: ID,
      petId: ID,
      quantity: INT32,
      shipDate: { type: 'string', format: 'date-time' },
      status: { type: 'string', enum: ['placed', 'approved', 'delivered'] },
      complete: { type: 'boolean' },
    },
  },
  ApiResponse: { type: 'object', properties: { code: INT32, type: TEXT, message: TEXT } },
};

const REASONS = {
  400: 'The request is wrong, or conflicts with the store',
  404: 'It does not exist',
  405: 'The body is wrong',
  422: 'The body is wrong',
};

const API_KEY = { type: 'apiKey', in: 'header', name: 'api_key' };

/** A key is needed only if authentication is on. */
const SECURITY = [{}, { api_key: [] }];

const INFO = { title: 'Classic petstore', version: '1.0.0' };

/** The document of `/v2` (Swagger 2.0). */
export function swaggerDocument() {
  const ref = (schema) => referring(schema, '#/definitions/');
  const response = (description, schema) => ({ description, ...(schema && { schema: ref(schema) }) });
  const parameter = ({ schema, ...rest }) => {
    const multi = schema.type === 'array' && { collectionFormat: 'multi' };
    return { ...rest, required: rest.required ?? false, ...schema, ...multi };
  };
  const operation = ({ body, form, ...described }, parameters) => ({
    ...(body === 'binary' || !(body || form) ? {} : { consumes: [body ? 'application/json' : form] }),
    parameters: [
      ...parameters.map(parameter),
      ...(body ? [{ in: 'body', name: 'body', required: true, schema: ref(body) }] : []),
    ],
    responses: responsesOf(described, 'v2', response),
  });
  return {
    swagger: '2.0',
    info: INFO,
    basePath: '/v2',
    produces: ['application/json'],
    securityDefinitions: { api_key: API_KEY },
    security: SECURITY,
    paths: pathsOf('v2', operation),
    definitions: ref(SCHEMAS),
  };
}

/** The document of `/v3` or `/api/v3` (OpenAPI 3.0). */
export function openApiDocument(server) {
  const ref = (schema) => referring(schema, '#/components/schemas/');
  const json = (schema) => ({ 'application/json': { schema: ref(schema) } });
  const response = (description, schema) => ({ description, ...(schema && { content: json(schema) }) });
  const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  const operation = ({ body, ...described }, parameters) => ({
    parameters,
    ...(body && { requestBody: { required: true, content: body === 'binary' ? bytes : json(body) } }),
    responses: responsesOf(described, 'v3', response),
  });
  return {
    openapi: '3.0.3',
    info: INFO,
    servers: [{ url: server }],
    security: SECURITY,
    paths: pathsOf('v3', operation),
    components: { schemas: ref(SCHEMAS), securitySchemes: { api_key: API_KEY } },
  };
}

function pathsOf(version, operation) {
  const paths = {};
  for (const { operationId, method, path, summary, parameters = [], body, returns, refusals, form } of OPERATIONS) {
    const given = Array.isArray(parameters) ? parameters : parameters[version];
    const own = typeof body === 'object' ? body[version] : body;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      tags: [path.split('/')[1]],
      summary,
      operationId,
      ...operation({ returns, refusals, form, body: own }, given),
    };
  }
  return paths;
}

function responsesOf({ returns, refusals }, version, response) {
  const statuses = new Set(refusals.map((status) => INVALID[version][status] ?? status));
  return {
    200: response('Success', returns[version]),
    ...Object.fromEntries([...statuses].map((status) => [status, response(REASONS[status], 'ApiResponse')])),
  };
}

/** A schema with references where it has names of schemas. */
function referring(schema, base) {
  if (typeof schema === 'string') return { $ref: `${base}${schema}` };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (['items', 'schema'].includes(key)) return [key, referring(value, base)];
      if (key === 'properties') {
        return [key, Object.fromEntries(Object.entries(value).map(([name, type]) => [name, referring(type, base)]))];
      }
      return [key, key in SCHEMAS ? referring(value, base) : value];
    }),
  );
}
