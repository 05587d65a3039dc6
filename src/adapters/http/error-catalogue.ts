import type { Refusal } from '../../domain/refusals.ts';

/** What can go wrong before or after the store itself is asked. */
export type EdgeError =
  | 'malformed_json'
  | 'invalid_parameter'
  | 'unknown_parameter'
  | 'invalid_cursor'
  | 'invalid_header'
  | 'malformed_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'forbidden_host'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'operation_withdrawn'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'precondition_required'
  | 'idempotency_key_in_progress'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'validation_failed'
  | 'internal_error'
  | 'unavailable';

export type ErrorCode = Refusal | EdgeError;

export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** What the code means. */
  readonly meaning: string;
  /** What whoever gets it can do. */
  readonly remedy: string;
}

/**
 * How every refusal of the store, and every error of the edge, looks outside. Total: a new refusal does not compile
 * until somebody decides.
 */
export const ERRORS: Record<ErrorCode, ErrorEntry> = {
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The body is no JSON text in UTF-8, has a key twice in one object, holds a number that no JSON client can keep exactly, nests deeper than 32 levels, or is empty where one is needed.',
    remedy: 'Send one JSON value, encoded in UTF-8, with every key at most once in each object.',
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    meaning:
      'A parameter in the path or the query has a value that it cannot have, is empty, or is given more than once.',
    remedy: 'Correct the parameter that the details name; the message says which values are possible.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    meaning:
      'The query has a parameter that this operation does not know. It is refused, so that a typing error never widens a result.',
    remedy: 'Remove or correct the parameter; the message lists the ones that exist.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    meaning: 'The cursor was changed, invented, or made for another sort order or other filters.',
    remedy: 'Follow the link with rel="next" as it is, or begin again without a cursor.',
  },
  invalid_header: {
    status: 400,
    title: 'Invalid header',
    meaning: 'A header field has a value that cannot be understood.',
    remedy: 'Correct the header that the details name.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The request is not HTTP/1.1 as RFC 9112 defines it, or its target is no valid URI.',
    remedy: 'Check the request line, the Host header, the framing of the body and the percent-encoding of the path.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    meaning: 'A credential is needed here, and none was sent, or one that opens nothing (any more).',
    remedy:
      'Send a key of this store or a token of its provider as Authorization: Bearer …; a key may also be sent as X-API-Key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    meaning: 'The credential is good, but does not have the scope that this needs.',
    remedy: 'Use a credential with the scope that the message names.',
  },
  forbidden_host: {
    status: 403,
    title: 'Forbidden host',
    meaning:
      'Authentication is off, and the Host header names neither this machine nor a host that the service allows. This protects the store from web pages that redirect their own name to this machine (DNS rebinding).',
    remedy: 'Address the service as localhost or by a loopback address, or list the host in PETSTORE_ALLOWED_HOSTS.',
  },
  not_found: {
    status: 404,
    title: 'No such path',
    meaning: 'Nothing is served under this path. A trailing slash makes another path.',
    remedy: 'Look the path up in /openapi.json or on /docs.',
  },
  category_not_found: {
    status: 404,
    title: 'Category not found',
    meaning: 'There is no category with this id, or not any more.',
    remedy: 'List the categories to find the ones that exist.',
  },
  pet_not_found: {
    status: 404,
    title: 'Pet not found',
    meaning: 'There is no pet with this id, or not any more; its stock and its movements are gone with it.',
    remedy: 'List the pets to find the ones that exist.',
  },
  order_not_found: {
    status: 404,
    title: 'Order not found',
    meaning: 'There is no order with this id, or not any more: a cancelled order is gone.',
    remedy: 'List the orders to find the ones that exist.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header allows no media type in which this can be answered.',
    remedy: 'Accept application/json, or leave the header out.',
  },
  request_timeout: {
    status: 408,
    title: 'Request time-out',
    meaning: 'The request did not arrive completely in the time that the service waits for one.',
    remedy: 'Send it again, faster.',
  },
  unknown_category: {
    status: 409,
    title: 'Unknown category',
    meaning: 'A pet was to be put into a category that does not exist.',
    remedy: 'Create the category first, or name one that exists.',
  },
  unknown_pet: {
    status: 409,
    title: 'Unknown pet',
    meaning: 'An order names a pet that does not exist.',
    remedy: 'Order a pet that exists.',
  },
  category_name_taken: {
    status: 409,
    title: 'Category name taken',
    meaning:
      'Another category has this name, in this or another spelling: case, width, ligatures and what is not seen make no difference.',
    remedy: 'Choose another name, or use the category that exists.',
  },
  category_in_use: {
    status: 409,
    title: 'Category in use',
    meaning: 'The category still has pets and cannot be deleted.',
    remedy: 'Move its pets into another category or delete them first.',
  },
  pet_has_orders: {
    status: 409,
    title: 'Pet has orders',
    meaning: 'An order, open or complete, names the pet, which therefore cannot be deleted.',
    remedy: 'Cancel its open orders; a pet with a complete order stays. Set its stock to 0 to take it off sale.',
  },
  pet_not_available: {
    status: 409,
    title: 'Pet not available',
    meaning: 'Only an available pet can be ordered: this one is sold, fully promised, or taken off sale by hand.',
    remedy: 'Wait until its status is available again, or order another.',
  },
  insufficient_stock: {
    status: 409,
    title: 'Insufficient stock',
    meaning: 'More units were asked for than are free: on hand and not promised to another order.',
    remedy: 'Order at most as many as the message says are free.',
  },
  stock_below_reserved: {
    status: 409,
    title: 'Stock below reserved',
    meaning: 'The stock count would be lower than the units that are promised to open orders.',
    remedy: 'Set at least the reserved units, or cancel orders first.',
  },
  order_already_complete: {
    status: 409,
    title: 'Order already complete',
    meaning: 'A complete order cannot be reopened, changed in quantity or cancelled.',
    remedy: 'Only its ship date can still be changed.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'Invalid status transition',
    meaning: 'A sold pet never goes straight to pending.',
    remedy: 'Set it to available first, which restocks one unit, or set its stock count.',
  },
  status_managed_by_orders: {
    status: 409,
    title: 'Status managed by orders',
    meaning: 'Open orders hold units of this pet, and decide its status.',
    remedy: 'Complete or cancel those orders first, or raise the stock count.',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'Idempotency key in progress',
    meaning: 'The first request with this Idempotency-Key has not been answered yet.',
    remedy:
      'Send the request again, with the same key, after the seconds in Retry-After: it gets the answer of the first one.',
  },
  operation_withdrawn: {
    status: 410,
    title: 'Operation withdrawn',
    meaning: 'The operation was deprecated, and its sunset date has passed.',
    remedy: 'Use the successor that the message and the Link header name.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    meaning: 'The resource is no longer the one that If-Match names; somebody changed it in between.',
    remedy: 'Read it again, decide on what it says now, and send the new ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body is larger than this operation takes.',
    remedy: 'Send less at once; the message says how much is taken.',
  },
  uri_too_long: {
    status: 414,
    title: 'URI too long',
    meaning: 'The request target is longer than the service reads.',
    remedy: 'Ask for fewer things at once.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is in a media type, character set or content coding that this operation does not read.',
    remedy: 'Send application/json in UTF-8 without a content coding; PATCH also takes application/merge-patch+json.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    meaning: 'The body is JSON, but not as the published schema says.',
    remedy: 'Correct every place that the details name.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This Idempotency-Key was sent with another body within the last 24 hours.',
    remedy: 'Repeat a request exactly as it was, or take a new key for a new request.',
  },
  precondition_required: {
    status: 428,
    title: 'Precondition required',
    meaning: 'This service changes a resource only for whoever says, with If-Match, which state of it they saw.',
    remedy: 'Read the resource, and send its ETag in If-Match.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    meaning: 'More requests came from this credential, or this address, than are allowed.',
    remedy: 'Wait for the seconds in Retry-After; the RateLimit header says with every answer how many are left.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The header section is larger than the service reads.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed in a way that it did not foresee. Nothing was changed.',
    remedy: 'Report the requestId: the log has the rest under it.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning:
      'The storage or the provider of credentials does not answer, the work took too long, there is too much of it, or the service is starting or shutting down. Nothing was changed, unless the message says that this is not known.',
    remedy: 'Send the request again after the seconds in Retry-After.',
  },
};

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
