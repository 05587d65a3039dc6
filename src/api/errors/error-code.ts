import type { Refusal } from '../../domain/refusals.ts';

/** Errors that occur outside the store. */
type EdgeError =
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
  | 'events_expired'
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
