import { ERRORS, type ErrorCode } from '../error-catalogue.ts';
import { error, problem } from '../error-schemas.ts';
import { isRepeatable, type Operation } from '../operation.ts';
import { JSON_TYPE, PROBLEM_TYPE } from '../protocol/negotiation.ts';
import type { DocumentSettings } from '../settings.ts';
import { commonHeaders, headers, lifecycleHeaderObjects } from './headers.ts';
import { type Json, schemaObject } from './schema-objects.ts';
import { accessErrors } from './security.ts';

/** The error answers that are the same for every operation that can give them. */
const COMMON = [
  { name: 'Unauthenticated', codes: ['unauthenticated'] },
  { name: 'InsufficientScope', codes: ['insufficient_scope'] },
  { name: 'ForbiddenHost', codes: ['forbidden_host'] },
  { name: 'NotAcceptable', codes: ['not_acceptable'] },
  { name: 'RequestTimeout', codes: ['request_timeout'] },
  { name: 'PreconditionFailed', codes: ['precondition_failed'] },
  { name: 'PayloadTooLarge', codes: ['payload_too_large'] },
  { name: 'UriTooLong', codes: ['uri_too_long'] },
  { name: 'ValidationFailed', codes: ['validation_failed'] },
  { name: 'RateLimited', codes: ['rate_limited'] },
  { name: 'HeadersTooLarge', codes: ['headers_too_large'] },
  { name: 'InternalError', codes: ['internal_error'] },
  { name: 'Unavailable', codes: ['unavailable'] },
] as const satisfies readonly { name: string; codes: readonly ErrorCode[] }[];

/** They come only where the settings make them possible. */
const ACCESS_ERRORS: readonly ErrorCode[] = ['forbidden_host', 'unauthenticated', 'insufficient_scope', 'rate_limited'];

/** `components.responses`. */
export function commonErrors(settings: DocumentSettings): Json {
  const absent = ACCESS_ERRORS.filter((code) => !accessErrors(settings).includes(code));
  const given = COMMON.filter(({ codes: [code] }) => !absent.includes(code));
  return Object.fromEntries(given.map(({ name, codes }) => [name, errorResponse(codes, settings)]));
}

/** Every code that an operation can answer with, from its refusals and its shape. */
function errorCodesOf(operation: Operation, settings: DocumentSettings): ErrorCode[] {
  const { refusals, body, deprecation, conditional, success, method, query } = operation;
  const hasParameters = operation.path.includes('{') || query !== undefined;
  const isTagged = success === 200 || conditional;
  return [
    ...accessErrors(settings),
    'malformed_request',
    'unknown_parameter',
    'invalid_header',
    ...(hasParameters ? (['invalid_parameter'] as const) : []),
    ...(body ? (['malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const) : []),
    ...(deprecation ? (['operation_withdrawn'] as const) : []),
    ...((method === 'get' && isTagged) || conditional ? (['precondition_failed'] as const) : []),
    ...(conditional === 'required' ? (['precondition_required'] as const) : []),
    ...refusals,
    ...(isRepeatable(operation) ? (['idempotency_key_in_progress', 'idempotency_key_reused'] as const) : []),
    'not_acceptable',
    'request_timeout',
    'uri_too_long',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ];
}

/** The error answers of an operation, by status. */
export function errorResponses(operation: Operation, settings: DocumentSettings): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation, settings)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => {
    const marks = codes.every((code) => UNREAD.includes(code)) ? {} : lifecycleHeaderObjects(operation);
    const asks =
      codes.includes('unsupported_media_type') && headers(operation.method === 'patch' ? 'Accept-Patch' : 'Accept');
    const replayed = codes.includes('idempotency_key_in_progress') && {
      ...headers('Idempotent-Replayed'),
      'Retry-After': { $ref: '#/components/headers/RetryAfterProgress' },
    };
    const own = { ...marks, ...asks, ...replayed };
    const common = COMMON.find((candidate) => candidate.codes.join() === codes.join());
    const isCommon = common && Object.keys(own).length === 0;
    const response = isCommon ? { $ref: `#/components/responses/${common.name}` } : errorResponse(codes, settings, own);
    return [status, response];
  });
  return Object.fromEntries(responses);
}

/** What is answered to a request that was not read so far that anybody knows which operation it is for. */
const UNREAD: readonly ErrorCode[] = ['forbidden_host', 'request_timeout', 'uri_too_long', 'headers_too_large'];

/** They say which credential is needed. */
const CHALLENGES: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope'];

/** They say when to try again. */
const LATER: readonly ErrorCode[] = ['rate_limited', 'unavailable'];

function errorResponse(codes: readonly ErrorCode[], settings: DocumentSettings, own: Json = {}): Json {
  // A forbidden host is refused before the request is counted.
  const rateLimited = settings.rateLimited && !codes.includes('forbidden_host');
  const all = {
    ...commonHeaders({ ...settings, rateLimited }),
    ...own,
    ...(codes.some((code) => CHALLENGES.includes(code)) && headers('WWW-Authenticate')),
    ...headers('Vary', ...(codes.some((code) => LATER.includes(code)) ? ['Retry-After' as const] : [])),
  };
  const examples = (asProblem: boolean) =>
    Object.fromEntries(
      codes.map((code) => [code, { summary: ERRORS[code].title, value: errorExample(code, asProblem) }]),
    );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: all,
    content: {
      [JSON_TYPE]: { schema: schemaObject(error), examples: examples(false) },
      [PROBLEM_TYPE]: { schema: schemaObject(problem), examples: examples(true) },
    },
  };
}

function errorExample(code: ErrorCode, asProblem: boolean): Json {
  const { status, title, meaning } = ERRORS[code];
  const facts = { code, message: meaning, status, requestId: error.example.requestId };
  return asProblem ? { type: `/errors/${code}`, title, detail: meaning, ...facts } : facts;
}
