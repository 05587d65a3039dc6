import { hash, randomUUID } from 'node:crypto';
import { Ajv } from 'ajv';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { OrderRefused, openShopStatements, type PetRow } from './shop-statements.ts';

/*
 * Fastify with JSON Schemas and prepared statements, written as its documentation recommends for speed: response schemas,
 * hooks and handlers without promises. It does the same work as the service for the measured requests: the same headers,
 * entity tags, links, and refusals. With the argument `plain` it does without what Fastify does not do by itself: the service's
 * headers, entity tags and links. DATABASE_URL is sqlite: and a file.
 */

const isPlain = process.argv[2] === 'plain';
const shop = openShopStatements();

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const status = { type: 'string', enum: ['available', 'pending', 'sold'] } as const;
const pet = {
  type: 'object',
  properties: { id, name: { type: 'string' }, categoryId: id, status },
  required: ['id', 'name', 'categoryId', 'status'],
} as const;
const order = {
  type: 'object',
  properties: { id, petId: id, quantity: { type: 'integer' }, complete: { type: 'boolean' } },
} as const;

class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const app = Fastify({
  keepAliveTimeout: 65_000,
  requestTimeout: 30_000,
  forceCloseConnections: true,
  genReqId: ({ headers: { 'x-request-id': given } }) =>
    typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID(),
});

// Values of a path or a query are texts, and become numbers and lists; values of a body are never converted.
const [converting, strict] = (['array', false] as const).map(
  (coerceTypes) => new Ajv({ useDefaults: true, coerceTypes, formats: { 'date-time': true } }),
);
app.setValidatorCompiler(
  ({ schema, httpPart }) => (httpPart === 'body' ? strict : converting)?.compile(schema) as never,
);
app.removeContentTypeParser('text/plain');
app.setErrorHandler((error: FastifyError | Refused | OrderRefused, request, reply) => {
  const { status, code } = refusalOf(error);
  if (status === 415) reply.header('accept', 'application/json');
  reply.code(status).send({ code, message: error.message, status, requestId: request.id });
});
app.setNotFoundHandler(() => {
  throw new Refused(404, 'not_found');
});
if (!isPlain) {
  app.addHook('onRequest', checkHead);
  app.addHook('onSend', addHeaders);
}

app.get<{ Params: { petId: number } }>(
  '/store/pets/:petId',
  {
    schema: {
      params: { type: 'object', properties: { petId: id }, required: ['petId'] },
      querystring: { type: 'object', properties: {}, additionalProperties: false },
      response: { 200: pet },
    },
  },
  (request, reply) => {
    const found = shop.pet(request.params.petId);
    if (!found) throw new Refused(404, 'pet_not_found');
    reply.send(found);
  },
);

interface ListQuery {
  readonly status: readonly string[];
  readonly categoryId: number;
  readonly limit: number;
  readonly cursor?: string;
}

app.get<{ Querystring: ListQuery }>(
  '/pets',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          status: { type: 'array', items: status, minItems: 1, maxItems: 1 },
          categoryId: id,
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          cursor: { type: 'string', minLength: 1, maxLength: 5000 },
        },
        // Prepared for the measured list only.
        required: ['status', 'categoryId'],
        additionalProperties: false,
      },
      response: { 200: { type: 'array', items: pet } },
    },
  },
  (request, reply) => {
    const { status, categoryId, limit, cursor } = request.query;
    const list = JSON.stringify(['pets', 'id', { status, categoryId }]);
    const after = cursor === undefined ? 0 : openCursor(cursor, list);
    const found = shop.pets(categoryId, status[0] as string, after, isPlain ? limit : limit + 1);
    if (isPlain) {
      reply.send(found);
      return;
    }
    const hasNext = found.length > limit;
    if (hasNext) found.pop();
    reply.header('link', linksOf(request.url, hasNext ? makeCursor(found.at(-1) as PetRow, list) : undefined));
    reply.send(found);
  },
);

app.post<{ Body: { petId: number; quantity?: number } }>(
  '/store/orders',
  {
    schema: {
      body: {
        type: 'object',
        properties: {
          petId: id,
          quantity: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
          shipDate: { type: 'string', format: 'date-time' },
          complete: { type: 'boolean', default: false },
        },
        required: ['petId'],
        additionalProperties: false,
      },
      response: { 201: order },
    },
  },
  (request, reply) => {
    const { petId, quantity = 1 } = request.body;
    const placed = shop.order(petId, quantity);
    reply.code(201);
    if (!isPlain) reply.header('location', `/store/orders/${placed.id}`);
    reply.send(placed);
  },
);

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.once('SIGTERM', () => void app.close().then(() => shop.close()));

/** The checks of the service that come before the path: Host, against DNS rebinding, and Accept. */
function checkHead({ headers }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { host = '', accept } = headers;
  if (!/^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})(?::\d*)?$/i.test(host)) done(new Refused(403, 'forbidden_host'));
  else if (accept !== undefined && !/\*\/\*|application\/(?:\*|json)/.test(accept))
    done(new Refused(406, 'not_acceptable'));
  else done();
}

/** The headers that every response of the service has, and the entity tag of a good one. */
function addHeaders<Payload>(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
  done: (error: null, payload: Payload | null) => void,
): void {
  const { 'if-none-match': known } = request.headers;
  const body = String(payload);
  reply.headers({
    'x-request-id': request.id,
    'api-version': '1.0.0',
    vary: Buffer.byteLength(body) > 1024 ? 'Origin, Accept-Encoding' : 'Origin',
    'cache-control': 'no-cache',
    'content-type': 'application/json',
  });
  if (reply.statusCode >= 300) {
    reply.header('x-content-type-options', 'nosniff');
    done(null, payload);
    return;
  }
  const link = reply.getHeader('link');
  const tag = `"${hash('sha1', link === undefined ? body : `${link}\n${body}`, 'base64url')}"`;
  reply.header('etag', tag);
  if (known?.split(/\s*,\s*/).includes(tag)) {
    reply.code(304).removeHeader('content-type');
    done(null, null);
  } else done(null, payload);
}

function linksOf(url: string, next: string | undefined): string {
  const first = url.replace(/&cursor=[^&]*/, '');
  const link = `<${first}>; rel="first"`;
  return next === undefined ? link : `${link}, <${first}&cursor=${next}>; rel="next"`;
}

/** A position in a list, with a checksum over it and the list. */
function makeCursor({ id }: PetRow, list: string): string {
  const position = Buffer.from(JSON.stringify([id, id])).toString('base64url');
  return `${position}.${checksumOf(position, list)}`;
}

function openCursor(cursor: string, list: string): number {
  const [position = '', checksum] = cursor.split('.');
  if (checksum !== checksumOf(position, list)) throw new Refused(400, 'invalid_cursor');
  return (JSON.parse(Buffer.from(position, 'base64url').toString()) as [number, number])[1];
}

function checksumOf(position: string, list: string): string {
  return hash('sha256', `${position} ${list}`, 'base64url').slice(0, 16);
}

function refusalOf(error: FastifyError | Refused | OrderRefused): { status: number; code: string } {
  if (error instanceof Refused) return error;
  if (error instanceof OrderRefused) return { status: 409, code: error.code };
  if (error.validation?.[0] && error.validationContext === 'body') return { status: 422, code: 'validation_failed' };
  if (error.validation?.[0]?.keyword === 'additionalProperties') return { status: 400, code: 'unknown_parameter' };
  if (error.validation) return { status: 400, code: 'invalid_parameter' };
  if (error.statusCode === 415) return { status: 415, code: 'unsupported_media_type' };
  return error.statusCode === 400 ? { status: 400, code: 'malformed_json' } : { status: 500, code: 'internal_error' };
}
