import { ApiError, type Detail } from '../../api/errors/api-error.ts';
import type { ErrorCode } from '../../api/errors/error-code.ts';
import { toApiError } from '../../api/errors/to-api-error.ts';
import type { HeaderFields } from './response/message.ts';

/** An error over HTTP, with additional header fields. */
export class HttpError extends ApiError {
  override readonly name = 'HttpError';
  readonly headers: HeaderFields;

  constructor(code: ErrorCode, message: string, more: { details?: readonly Detail[]; headers?: HeaderFields } = {}) {
    super(code, message, more);
    this.headers = more.headers ?? [];
  }
}

/** The request cannot be processed now; a retry may succeed. `headers`: name, value, name, value … */
export function unavailable(message: string, ...headers: readonly string[]): HttpError {
  return new HttpError('unavailable', message, { headers: ['Retry-After', '1', ...headers] });
}

/** Converts a thrown value to its HTTP error. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { code, message, details, retryAfter } = toApiError(error);
  return new HttpError(code, message, {
    details,
    headers: retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)],
  });
}
