import type { Clock } from '../../../application/ports/clock.ts';
import { HttpError } from '../http-error.ts';
import type { Call, Operation } from '../operation.ts';
import { entityTag, ifMatch, ifNoneMatch, tagsIn } from '../protocol/conditional.ts';
import { readJson } from '../protocol/json.ts';
import { lifecycleHeaders, mustNotBeWithdrawn } from '../protocol/lifecycle.ts';
import type { Answer } from '../protocol/message.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE, readableType } from '../protocol/negotiation.ts';
import { fault, invalidParameters, queryReader } from '../protocol/query.ts';
import { compile, validBody } from '../protocol/validation.ts';
import { LARGEST_ID } from '../schemas.ts';
import type { HttpSettings } from '../settings.ts';
import type { Exchange } from './exchange.ts';
import type { Readiness } from './readiness.ts';
import { readBody } from './request-body.ts';

/** The request as the router found it. */
export interface Routed {
  /** The path as it was asked for, base path included. */
  readonly path: string;
  /** The query string without its question mark. */
  readonly query: string;
  /** The path's parameters, percent-decoded. */
  readonly ids: Readonly<Record<string, string>>;
}

export type OperationHandler = (exchange: Exchange, routed: Routed) => Promise<void>;

/** Makes an operation's data and handler into what answers its requests. All that can be prepared is prepared once, here. */
export function operationHandler(
  operation: Operation,
  settings: HttpSettings,
  clock: Clock,
  readiness: Readiness,
): OperationHandler {
  const { deprecation, handle } = operation;
  const { basePath, limits } = settings;
  const marksFor = lifecycleHeaders(operation, basePath);
  const readQuery = queryReader(operation.query ?? {});
  const bodyReader =
    operation.body && requestBodyReader(operation, operation.body.large ? limits.batchBody : limits.body);
  const isSafe = operation.method === 'get';
  const mustExpect = operation.conditional === 'required';

  return async (exchange, { path, query, ids }) => {
    const lastId = Object.values(ids).at(-1) ?? '';
    exchange.mark(marksFor(lastId));
    readiness.mustBeOpen();
    if (deprecation) mustNotBeWithdrawn(deprecation, clock.now(), basePath, lastId);
    if (!exchange.accepted.json) throw notAcceptable();

    if (mustExpect && exchange.request.headers['if-match'] === undefined) throw preconditionRequired();

    const { values, withoutCursor } = readQuery(query);
    const call: Call<unknown, Readonly<Record<string, unknown>>> = {
      path: readIds(ids),
      query: values,
      self: { path, query: withoutCursor },
      wantsTotal: operation.paged === true && prefersTotal(exchange),
      expectation: isSafe ? noExpectation : expectationOf(exchange),
      body: bodyReader && (await bodyReader(exchange)),
    };
    answer(exchange, await handle(call as Call<never, never, never>), isSafe, basePath);
  };
}

function requestBodyReader({ body, method }: Operation, limit: number): (exchange: Exchange) => Promise<unknown> {
  const validate = compile(body?.schema ?? {});
  const types = method === 'patch' ? [JSON_TYPE, MERGE_PATCH_TYPE] : [JSON_TYPE];
  const headers = method === 'patch' ? ['Accept-Patch', types.join(', ')] : ['Accept', types.join(', ')];
  return async (exchange) => {
    const { 'content-type': type, 'content-encoding': coding = 'identity' } = exchange.request.headers;
    const isTyped = types.includes(readableType(type) ?? '') || (type === undefined && isEmpty(exchange));
    if (!isTyped || coding.toLowerCase() !== 'identity') {
      const given = type === undefined ? 'None was given' : `Not ${JSON.stringify(type.slice(0, 100))}`;
      const coded = coding === 'identity' ? '' : ` in the coding ${JSON.stringify(coding.slice(0, 40))}`;
      throw new HttpError(
        'unsupported_media_type',
        `${given}${coded}: the body must be ${types.join(' or ')} in UTF-8.`,
        {
          headers,
        },
      );
    }
    return validBody(validate, readJson(await readBody(exchange, limit)));
  };
}

/** A request without any body has no type that could be wrong: it lacks the body. */
function isEmpty({ request: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

function answer(exchange: Exchange, given: Answer, isSafe: boolean, basePath: string): void {
  const headers = given.headers[0] === 'Location' ? ['Location', `${basePath}${given.headers[1]}`] : given.headers;
  if (given.body === undefined) {
    exchange.send(given.status, headers);
    return;
  }
  const body = JSON.stringify(given.body);
  if (!given.tagged) {
    exchange.send(given.status, headers, body);
    return;
  }
  const tag = entityTag(given.etagOf === undefined ? body : `${given.etagOf}\n${body}`);
  if (isSafe) {
    const { 'if-match': expected, 'if-none-match': known } = exchange.request.headers;
    if (expected !== undefined && !ifMatch(expected, tag)) {
      throw new HttpError('precondition_failed', 'The resource is not the one that If-Match names.');
    }
    if (known !== undefined && ifNoneMatch(known, tag)) {
      exchange.send(304, ['ETag', tag, ...headers]);
      return;
    }
  }
  exchange.send(given.status, ['ETag', tag, ...headers], body);
}

const ID = /^[1-9]\d{0,15}$/;
const NO_IDS = {};

function readIds(ids: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  let read: Record<string, number> | undefined;
  for (const name in ids) {
    const text = ids[name] as string;
    const id = ID.test(text) ? Number(text) : Number.NaN;
    if (!(id <= LARGEST_ID)) {
      throw invalidParameters([
        fault(name, `must be a whole number from 1 to ${LARGEST_ID}, not ${JSON.stringify(text.slice(0, 40))}`),
      ]);
    }
    read ??= {};
    read[name] = id;
  }
  return read ?? NO_IDS;
}

function noExpectation(): undefined {
  return undefined;
}

/** What `If-Match` and `If-None-Match` say about the plain representation before it is changed (RFC 9110, section 13.1). */
function expectationOf({ request }: Exchange): Call['expectation'] {
  const { 'if-match': expected, 'if-none-match': unwanted } = request.headers;
  if (expected === undefined && unwanted === undefined) return noExpectation;
  if (expected !== undefined) tagsIn('If-Match', expected);
  if (unwanted !== undefined) tagsIn('If-None-Match', unwanted);
  return (show) => (view) => {
    const tag = entityTag(JSON.stringify(show(view)));
    return (
      (expected === undefined || ifMatch(expected, tag)) && (unwanted === undefined || !ifNoneMatch(unwanted, tag))
    );
  };
}

function prefersTotal({ request }: Exchange): boolean {
  const { prefer } = request.headers;
  return prefer !== undefined && /(?:^|[,\s])return\s*=\s*"?total-count"?(?=$|[;,\s])/i.test(String(prefer));
}

function preconditionRequired(): HttpError {
  return new HttpError(
    'precondition_required',
    'A change must say with If-Match which state of the resource it is for: send the ETag that was read.',
  );
}

function notAcceptable(): HttpError {
  return new HttpError('not_acceptable', `This can only be answered as ${JSON_TYPE}.`);
}
