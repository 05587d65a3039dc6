import type { ErrorCode } from './error-code.ts';
import type { ErrorStatus } from './reason-phrases.ts';

export interface ErrorEntry {
  readonly status: ErrorStatus;
  readonly title: string;
  /** What the code means. */
  readonly meaning: string;
  /** What the client can do. */
  readonly remedy: string;
}

/**
 * The external form of every refusal of the store and every error of the edge. Total: a new refusal without an entry does not
 * compile.
 */
export const ERRORS: Record<ErrorCode, ErrorEntry> = {
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The body is not JSON in UTF-8, repeats a key in one object, has a number that not every JSON client can represent exactly, is nested deeper than 32 levels, or is empty although the operation requires one.',
    remedy: 'Send one JSON value in UTF-8 with unique keys in each object.',
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    meaning: 'A parameter in the path or the query has a value that is not allowed, is empty, or is repeated.',
    remedy: 'Correct the parameter that the details name; the message says which values are allowed.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    meaning:
      'The query has a parameter that this operation does not have. It is rejected, so that a typing error never widens a result.',
    remedy: 'Remove or correct the parameter; the message lists the existing ones.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    meaning: 'The cursor was altered or made up, or it belongs to another sort order or other filters.',
    remedy: 'Follow the link with rel="next" unchanged, or start again without a cursor.',
  },
  invalid_header: {
    status: 400,
    title: 'Invalid header',
    meaning: 'A header has a value that is not valid.',
    remedy: 'Correct the header that the details name.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The request is not HTTP/1.1 as RFC 9112 defines it, or its target is not a valid URI.',
    remedy: 'Check the request line, the Host header, the framing of the body, and the percent-encoding of the path.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    meaning: 'The operation requires a credential, and the request has none or one that is not valid (any more).',
    remedy:
      'Send an API key of this service or a token of its provider as Authorization: Bearer …; a key may also be sent as X-API-Key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    meaning: 'The credential is valid, but lacks the scope that the operation requires.',
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
    title: 'Not found',
    meaning: 'The service has no such path. A path with a trailing slash is a different path.',
    remedy: 'Look up the path in /openapi.json or at /docs.',
  },
  category_not_found: {
    status: 404,
    title: 'Category not found',
    meaning: 'There is no category with this id (any more).',
    remedy: 'List the categories to find those that exist.',
  },
  pet_not_found: {
    status: 404,
    title: 'Pet not found',
    meaning:
      'There is no pet with this id (any more). The stock and the movements of a deleted pet are deleted with it.',
    remedy: 'List the pets to find those that exist.',
  },
  order_not_found: {
    status: 404,
    title: 'Order not found',
    meaning: 'There is no order with this id (any more): cancelling an order deletes it.',
    remedy: 'List the orders to find those that exist.',
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    meaning: 'There is no webhook with this id (any more).',
    remedy: 'List the webhooks to find those that exist.',
  },
  delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    meaning: 'The webhook has no delivery with this id (any more): old deliveries are removed.',
    remedy: 'List the deliveries of the webhook to find those that exist.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but it does not support this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header allows no media type that the operation can return.',
    remedy: 'Accept application/json, or omit the header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive completely within the time limit.',
    remedy: 'Send the request again on a new connection.',
  },
  unknown_category: {
    status: 409,
    title: 'Unknown category',
    meaning: 'The request puts a pet into a category that does not exist.',
    remedy: 'Create the category first, or use an existing one.',
  },
  unknown_pet: {
    status: 409,
    title: 'Unknown pet',
    meaning: 'The order names a pet that does not exist.',
    remedy: 'Order a pet that exists.',
  },
  category_name_taken: {
    status: 409,
    title: 'Category name taken',
    meaning: 'Another category has this name. Case, width, ligatures and invisible characters make no difference.',
    remedy: 'Choose another name, or use the existing category.',
  },
  category_in_use: {
    status: 409,
    title: 'Category in use',
    meaning: 'The category still has pets, so it cannot be deleted.',
    remedy: 'Move its pets to another category or delete them first.',
  },
  pet_has_orders: {
    status: 409,
    title: 'Pet has orders',
    meaning: 'An order, open or complete, refers to the pet, which therefore cannot be deleted.',
    remedy:
      'Cancel its open orders first. A pet with a complete order cannot be deleted; set its stock to 0 to take it off sale.',
  },
  pet_not_available: {
    status: 409,
    title: 'Pet not available',
    meaning: 'Only an available pet can be ordered: this one is sold, fully reserved, or was taken off sale by hand.',
    remedy: 'Wait until its status is available again, or order another pet.',
  },
  insufficient_stock: {
    status: 409,
    title: 'Insufficient stock',
    meaning: 'The order is for more units than are free: on hand and not reserved by another order.',
    remedy: 'Order at most the number of free units that the message states.',
  },
  stock_below_reserved: {
    status: 409,
    title: 'Stock below reserved',
    meaning: 'The stock count would be lower than the number of units that open orders reserve.',
    remedy: 'Set at least the number of reserved units, or cancel orders first.',
  },
  order_already_complete: {
    status: 409,
    title: 'Order already complete',
    meaning: 'The quantity of a complete order cannot change, and a complete order cannot be reopened or cancelled.',
    remedy: 'Change only its ship date.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'Invalid status transition',
    meaning: 'A sold pet cannot become pending directly.',
    remedy: 'Set its status to available first, which restocks one unit, or set its stock count.',
  },
  status_managed_by_orders: {
    status: 409,
    title: 'Status managed by orders',
    meaning: 'Open orders reserve units of this pet and determine its status.',
    remedy: 'Complete or cancel those orders first, or increase the stock count.',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'Idempotency key in progress',
    meaning: 'The first request with this Idempotency-Key is still in progress.',
    remedy:
      'Send the request again, with the same key, after the seconds in Retry-After: it gets the response to the first one.',
  },
  operation_withdrawn: {
    status: 410,
    title: 'Operation withdrawn',
    meaning: 'The operation was deprecated and its sunset date has passed.',
    remedy: 'Use the successor named in the message and the Link header.',
  },
  events_expired: {
    status: 410,
    title: 'Events expired',
    meaning: 'Retention has removed events after this position.',
    remedy: 'List the resources, and read on from the oldest position that the message names.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    meaning: 'The resource no longer has an entity tag that If-Match names: another request changed it.',
    remedy: 'Read the resource again, apply the change to its current state, and send the new ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body is larger than the limit of this operation.',
    remedy: 'Send a smaller body; the message states the limit.',
  },
  uri_too_long: {
    status: 414,
    title: 'URI too long',
    meaning: 'The request target is longer than the limit of the service.',
    remedy: 'Send fewer or shorter parameters.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The operation does not accept the media type, character set or content coding of the body.',
    remedy: 'Send application/json in UTF-8 without a content coding; PATCH also accepts application/merge-patch+json.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    meaning: 'The body is JSON, but it violates the published schema.',
    remedy: 'Correct every fault that the details name.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This Idempotency-Key was used with a different body within the last 24 hours.',
    remedy: 'Retry a request with an unchanged body, or use a new key for a new request.',
  },
  precondition_required: {
    status: 428,
    title: 'Precondition required',
    meaning: 'This service requires If-Match for every change of a resource.',
    remedy: 'Read the resource and send its ETag in If-Match.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    meaning: 'This credential, or this address, sent more requests than the limit allows.',
    remedy:
      'Wait for the seconds in Retry-After; the RateLimit header of every response states how many requests are left.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The header section is larger than the limit of the service.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed unexpectedly. Nothing was changed.',
    remedy: 'Report the requestId: the log has the details under this id.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning:
      'The storage or the identity provider is unavailable, the time limit was exceeded, or the service is overloaded, starting or shutting down. Nothing was changed, unless the message says that this is unknown.',
    remedy: 'Retry after the number of seconds in Retry-After.',
  },
};

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
