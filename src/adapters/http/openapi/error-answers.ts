import { ERRORS, type ErrorCode } from '../error-catalogue.ts';
import { error, problem } from '../error-schemas.ts';
import type { Operation } from '../operation.ts';
import { JSON_TYPE, PROBLEM_TYPE } from '../protocol/negotiation.ts';
import { commonHeaders, headers, lifecycleHeaders } from './headers.ts';
import { type Json, schemaObject } from './schema-objects.ts';

/** The error answers that are the same for every operation that can give them. */
const COMMON = [
  { name: 'NotAcceptable', codes: ['not_acceptable'] },
  { name: 'RequestTimeout', codes: ['request_timeout'] },
  { name: 'PreconditionFailed', codes: ['precondition_failed'] },
  { name: 'PayloadTooLarge', codes: ['payload_too_large'] },
  { name: 'UriTooLong', codes: ['uri_too_long'] },
  { name: 'ValidationFailed', codes: ['validation_failed'] },
  { name: 'HeadersTooLarge', codes: ['headers_too_large'] },
  { name: 'InternalError', codes: ['internal_error'] },
  { name: 'Unavailable', codes: ['unavailable'] },
] as const satisfies readonly { name: string; codes: readonly ErrorCode[] }[];

/** `components.responses`. */
export function commonErrors(): Json {
  return Object.fromEntries(COMMON.map(({ name, codes }) => [name, errorResponse(codes)]));
}

/** Every code that an operation can answer with, from its refusals and its shape. */
function errorCodesOf(operation: Operation): ErrorCode[] {
  const { refusals, body, deprecation, conditional, success, method, query } = operation;
  const hasParameters = operation.path.includes('{') || query !== undefined;
  const isTagged = success === 200 || conditional;
  return [
    'malformed_request',
    'unknown_parameter',
    'invalid_header',
    ...(hasParameters ? (['invalid_parameter'] as const) : []),
    ...(body ? (['malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const) : []),
    ...(deprecation ? (['operation_withdrawn'] as const) : []),
    ...((method === 'get' && isTagged) || conditional ? (['precondition_failed'] as const) : []),
    ...(conditional === 'required' ? (['precondition_required'] as const) : []),
    ...refusals,
    'not_acceptable',
    'request_timeout',
    'uri_too_long',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ];
}

/** The error answers of an operation, by status. */
export function errorResponses(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => {
    const marks = codes.every((code) => UNREAD.includes(code)) ? {} : lifecycleHeaders(operation);
    const asks =
      codes.includes('unsupported_media_type') && headers(operation.method === 'patch' ? 'Accept-Patch' : 'Accept');
    const own = { ...marks, ...asks };
    const common = COMMON.find((candidate) => candidate.codes.join() === codes.join());
    const isCommon = common && Object.keys(own).length === 0;
    const response = isCommon ? { $ref: `#/components/responses/${common.name}` } : errorResponse(codes, own);
    return [status, response];
  });
  return Object.fromEntries(responses);
}

/** What is answered to a request that was not read so far that anybody knows which operation it is for. */
const UNREAD: readonly ErrorCode[] = ['request_timeout', 'uri_too_long', 'headers_too_large'];

function errorResponse(codes: readonly ErrorCode[], own: Json = {}): Json {
  const all = {
    ...commonHeaders,
    ...own,
    ...headers('Vary', ...(codes.includes('unavailable') ? ['Retry-After' as const] : [])),
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
