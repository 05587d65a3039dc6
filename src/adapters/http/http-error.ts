import { ApiError, type Detail } from '../../api/errors/api-error.ts';
import type { ErrorCode } from '../../api/errors/error-code.ts';
import { toApiError } from '../../api/errors/to-api-error.ts';
import type { HeaderFields } from './response/message.ts';

/** An error as it leaves over HTTP: with header fields of its own. */
export class HttpError extends ApiError {
  override readonly name = 'HttpError';
  readonly headers: HeaderFields;

  constructor(code: ErrorCode, message: string, more: { details?: readonly Detail[]; headers?: HeaderFields } = {}) {
    super(code, message, more);
    this.headers = more.headers ?? [];
  }
}

/** It cannot be done now, and may well be in a moment. `headers` are names and values by turns. */
export function unavailable(message: string, ...headers: readonly string[]): HttpError {
  return new HttpError('unavailable', message, { headers: ['Retry-After', '1', ...headers] });
}

/** Returns what leaves over HTTP for whatever was thrown. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { code, message, details, retryAfter } = toApiError(error);
  return new HttpError(code, message, {
    details,
    headers: retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)],
  });
}
