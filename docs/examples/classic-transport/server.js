import { authorize } from 'petstore-service/application/access-control';
import { crossOrigin, preflight } from 'petstore-service/http/cross-origin';
import { hostRule } from 'petstore-service/http/host';
import { objectOf } from './bodies.js';
import { openApiDocument, swaggerDocument } from './documents.js';
import { isOfStore, must, Refused, statusOf } from './failures.js';
import { INVALID, OPERATIONS } from './operations.js';

const MAX_BYTES = 1024 * 1024;
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;

const BASE = /^(\/v2|\/v3|\/api\/v3)(\/.*)$/;

const ROUTES = OPERATIONS.map((operation) => ({
  ...operation,
  pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/, '([^/]+)')}$`),
}));

const DOCUMENTS = {
  '/v2/swagger.json': swaggerDocument(),
  '/v3/openapi.json': openApiDocument('/v3'),
  '/api/v3/openapi.json': openApiDocument('/api/v3'),
};

/**
 * Returns a listener for `node:http` that answers under `/v2`, and under `/v3` and `/api/v3`. `allowedHosts`, `corsOrigins` and
 * `corsHeaders` are the rules of the store's own transport, whose code it uses for them. `access` is the store's `AccessControl`.
 */
export function classicListener(shop, access, { allowedHosts, corsOrigins, corsHeaders }) {
  const hostError = hostRule(allowedHosts);
  const crossOriginHeaders = crossOrigin({ corsOrigins });
  const preflightHeaders = preflight({ corsOrigins, corsHeaders: ['api_key', ...corsHeaders] });

  async function respond(request) {
    const forbidden = hostError(request);
    if (forbidden) throw forbidden;
    const { path, methods, operation, ...matched } = match(request);
    if (request.method === 'OPTIONS' && methods.length > 0) {
      const allowed = [...methods, 'OPTIONS'].join(', ');
      return { status: 204, headers: ['Allow', allowed, ...preflightHeaders(request.headers, allowed)] };
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && Object.hasOwn(DOCUMENTS, path)) return { status: 200, body: DOCUMENTS[path] };
    if (!operation) throw notFound(request, path, methods);
    authorize(await access.admit(credentialOf(request), request.socket.remoteAddress ?? ''), operation.scope);
    return { status: 200, body: await operation.answer(shop, { ...matched, ...bodyOf(request, operation) }) };
  }

  return async (request, response) => {
    const result = await respond(request).catch((error) => {
      const status = statusOf(error);
      if (status === 500) console.error(error);
      const message = isOfStore(error) ? shop.inClientIds(error.message) : messageOf(error, status);
      const headers = status === 401 ? ['WWW-Authenticate', 'Bearer realm="petstore"'] : error.headers;
      return { status, headers, body: { code: status, type: 'error', message } };
    });
    send(request, response, {
      ...result,
      headers: [...crossOriginHeaders(request.headers.origin), ...(result.headers ?? [])],
    });
  };
}

/** An API key of the store in the header of the classic interface, or a bearer token. */
function credentialOf({ headers: { api_key: key, authorization = '' } }) {
  return typeof key === 'string' ? key : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** What a request addresses; the target may be anything, such as `//`, that is no address for `URL`. */
function match({ url, method }) {
  const [target = ''] = url.split('#');
  const [path, ...search] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const [, base = '', rest = ''] = BASE.exec(path) ?? [];
  const version = base.slice(-2);
  const fitting = ROUTES.filter(({ pattern }) => pattern.test(rest));
  // A fixed path comes before one with an id.
  const found = fitting.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));
  const methods = Object.hasOwn(DOCUMENTS, path) ? ['GET'] : fitting.map((route) => route.method);
  return {
    path,
    methods: methods.includes('GET') ? ['HEAD', ...methods] : methods,
    operation: found,
    id: found?.pattern.exec(rest)?.[1],
    query: new URLSearchParams(search.join('?')),
    version,
    ...INVALID[version],
  };
}

function messageOf({ message }, status) {
  return status === 500 ? 'An unexpected error occurred.' : message;
}

function notFound({ method }, path, methods) {
  if (/^(?:\/v2|\/v3|\/api\/v3)\/user(?:\/|$)/.test(path)) return new Refused(501, 'This store keeps no users.');
  const refused = new Refused(methods.length > 0 ? 405 : 404, `There is no ${method} ${path}.`);
  if (methods.length > 0) refused.headers = ['Allow', [...methods, 'OPTIONS'].join(', ')];
  return refused;
}

/** The body of a request, read when it is asked for. */
function bodyOf(request, { operationId }) {
  const type = request.headers['content-type'] ?? '';
  const limit = operationId === 'uploadFile' ? MAX_PICTURE_BYTES : MAX_BYTES;
  const bytes = async () => {
    const chunks = [];
    let size = 0;
    try {
      // The rest of a body that is refused is read and dropped, so that the client gets the response.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        size += chunk.length;
        must(413, size <= limit, `The body is too large; the limit is ${limit} bytes.`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw request.errored ? new Refused(400, 'The body is incomplete.') : error;
    }
    return Buffer.concat(chunks);
  };
  const isForm = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type);
  return {
    isForm,
    bytes,
    json: async () => objectOf((await bytes()).toString()),
    form: async () => {
      const body = await bytes();
      if (!isForm || body.length === 0) return new FormData();
      return new Response(body, { headers: { 'Content-Type': type } }).formData().catch(() => {
        throw new Refused(400, 'The form cannot be read.');
      });
    },
  };
}

function send(request, response, { status, headers, body }) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = text === '' ? [] : ['Content-Type', 'application/json'];
  const length = status === 204 ? [] : ['Content-Length', `${Buffer.byteLength(text)}`];
  request.resume();
  response.writeHead(status, [...headers, ...type, ...length]);
  response.end(request.method === 'HEAD' ? '' : text);
}
