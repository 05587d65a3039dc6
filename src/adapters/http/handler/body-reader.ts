import { JSON_TYPE, MERGE_PATCH_TYPE } from '../../../api/media-types.ts';
import type { Operation } from '../../../api/operation.ts';
import { HttpError } from '../http-error.ts';
import { readJson } from '../request/json.ts';
import { LARGE_BODY } from './body-memory-budget.ts';
import type { Exchange } from './exchange.ts';
import type { LoadShedder } from './load-shedder.ts';

/** The client disconnected before its request was complete, so there is no response to send. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export function tooLarge(limit: number): HttpError {
  return new HttpError('payload_too_large', `The body exceeds the limit of ${limit} bytes.`);
}

/** Reads the body of an operation's requests as the JSON value that it is. @throws {HttpError} */
export function bodyReader(
  { method }: Operation,
  limit: number,
  load: LoadShedder,
): (exchange: Exchange) => Promise<unknown> {
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
    const bytes = await exchange.receiveBody(limit, load.bodies);
    // While it waited for its turn, others may have made the process late.
    if (bytes.length > LARGE_BODY) load.shedIfOverloaded();
    return readJson(bytes);
  };
}

/** A request without any body has no type that could be wrong: it lacks the body. */
function isEmpty({ request: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** The media type of a Content-Type header, if this service could read a body with its parameters. */
function readableType(header: string | undefined): string | undefined {
  if (header === undefined || header === JSON_TYPE) return header;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const readable = parameters.every(
    (parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter) || !parameter.startsWith('charset='),
  );
  return readable ? type : undefined;
}
