import { ERRORS } from '../errors/error-catalogue.ts';
import type { ErrorCode } from '../errors/error-code.ts';
import { JSON_TYPE, PROBLEM_TYPE } from '../media-types.ts';
import { hasEntityTag, isRepeatable, type Operation } from '../operation.ts';
import { error, problem } from '../schemas/error-schemas.ts';
import type { ApiSettings } from '../settings.ts';
import { commonHeaders, headers, lifecycleHeaderObjects } from './headers.ts';
import { lifecyclePrefix } from './lifecycle-extensions.ts';
import { type Json, schemaObject } from './schema-objects.ts';
import { accessErrors } from './security.ts';

/** The error response of an operation with one status, and the name of the component if several operations share it. */
interface ErrorGroup {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  readonly component: string | undefined;
  readonly headers: Json;
}

/** The names of responses that can have one of several codes. A response with one code has the name of the code. */
const NAMES: Readonly<Record<string, string>> = {
  'malformed_request unknown_parameter invalid_header': 'BadRequest',
  'malformed_request unknown_parameter invalid_header invalid_parameter': 'BadParameters',
  'malformed_request unknown_parameter invalid_header malformed_json': 'BadBody',
  'malformed_request unknown_parameter invalid_header invalid_parameter malformed_json': 'BadParametersOrBody',
  'malformed_request unknown_parameter invalid_header invalid_parameter invalid_cursor': 'BadPage',
  'validation_failed idempotency_key_reused': 'Unprocessable',
};

/** They are sent before the service knows which operation is meant. */
const UNREAD: readonly ErrorCode[] = ['forbidden_host', 'request_timeout', 'uri_too_long', 'headers_too_large'];

/** They say when to try again. */
const LATER: readonly ErrorCode[] = ['rate_limited', 'unavailable'];

/** They say how to authenticate. */
const ACCESS: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope'];

/** The error responses of an operation, by status. */
export function errorResponses(operation: Operation, settings: ApiSettings): Json {
  return Object.fromEntries(
    errorGroupsOf(operation, settings).map((group) => [
      group.status,
      group.component === undefined
        ? errorResponse(group, settings)
        : { $ref: `#/components/responses/${group.component}` },
    ]),
  );
}

/** `components.responses` and `components.examples`. */
export function errorComponents(operations: readonly Operation[], settings: ApiSettings) {
  const groups = operations.flatMap((operation) => errorGroupsOf(operation, settings));
  const shared = groups.filter(({ component }) => component !== undefined);
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) =>
    groups.some((group) => group.codes.includes(code)),
  );
  return {
    responses: Object.fromEntries(shared.map((group) => [group.component, errorResponse(group, settings)])),
    examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
  };
}

/** Every code that an operation can return, from its refusals and its shape. */
function errorCodesOf(operation: Operation, settings: ApiSettings): ErrorCode[] {
  const { refusals, body, deprecation, conditional, method, query } = operation;
  const hasParameters = operation.path.includes('{') || query !== undefined;
  return [
    ...accessErrors(settings),
    'malformed_request',
    'unknown_parameter',
    'invalid_header',
    ...(hasParameters ? (['invalid_parameter'] as const) : []),
    ...(body ? (['malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const) : []),
    ...(deprecation ? (['operation_withdrawn'] as const) : []),
    ...((method === 'get' && hasEntityTag(operation)) || conditional ? (['precondition_failed'] as const) : []),
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

function errorGroupsOf(operation: Operation, settings: ApiSettings): ErrorGroup[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation, settings)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => {
    const isPatch = operation.method === 'patch';
    const isUnread = codes.every((code) => UNREAD.includes(code));
    const accepted = isPatch ? headers('Accept-Patch') : headers('Accept');
    const replayed = {
      ...headers('Idempotent-Replayed'),
      'Retry-After': { $ref: '#/components/headers/RetryAfterProgress' },
    };
    const own = {
      ...(!isUnread && lifecycleHeaderObjects(operation)),
      ...(codes.includes('unsupported_media_type') && accepted),
      ...(codes.includes('idempotency_key_in_progress') && replayed),
    };
    const name = isPatch && codes.includes('unsupported_media_type') ? 'UnsupportedPatchType' : componentName(codes);
    const component = name && (isUnread ? name : `${lifecyclePrefix(operation)}${name}`);
    return { status, codes, component, headers: own };
  });
}

function componentName(codes: readonly ErrorCode[]): string | undefined {
  const [code = ''] = codes;
  if (codes.length > 1) return NAMES[codes.join(' ')];
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function errorResponse({ codes, headers: own }: ErrorGroup, settings: ApiSettings): Json {
  // A forbidden host is refused before the request is counted.
  const rateLimited = settings.rateLimited && !codes.includes('forbidden_host');
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: {
      ...commonHeaders({ ...settings, rateLimited }),
      ...own,
      ...(codes.some((code) => ACCESS.includes(code)) && headers('WWW-Authenticate')),
      ...headers('Vary', ...(codes.some((code) => LATER.includes(code)) ? ['Retry-After' as const] : [])),
    },
    content: {
      [JSON_TYPE]: {
        schema: schemaObject(error),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
      // The schema has an example; one more for every code would add a sixth to the document.
      [PROBLEM_TYPE]: { schema: schemaObject(problem) },
    },
  };
}

function errorExample(code: ErrorCode): Json {
  const { status, title, meaning } = ERRORS[code];
  return { summary: title, value: { code, message: meaning, status, requestId: error.example.requestId } };
}
