import { KeyReused } from '../../application/idempotency.ts';
import { VerifierUnavailable } from '../../application/ports/credential-verifier.ts';
import { RequestInProgress } from '../../application/ports/idempotency-store.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import { DomainError } from '../../domain/refusals.ts';
import { ERRORS, type ErrorCode, type ErrorEntry } from './error-catalogue.ts';
import type { HeaderFields } from './protocol/message.ts';

/** One fault, in the body (`pointer`, RFC 6901) or in a parameter or header (`parameter`). */
export interface Detail {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: string;
  readonly message: string;
}

export const MOST_DETAILS = 50;

/** An error as it leaves the service: a code of the catalogue, what was wrong with which value, and where. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
  readonly headers: HeaderFields;

  constructor(code: ErrorCode, message: string, more: { details?: readonly Detail[]; headers?: HeaderFields } = {}) {
    super(message);
    this.code = code;
    this.details = (more.details ?? []).slice(0, MOST_DETAILS);
    this.headers = more.headers ?? [];
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  get status(): number {
    return this.entry.status;
  }
}

/** It cannot be done now, and may well be in a moment. `headers` are names and values by turns. */
export function unavailable(message: string, ...headers: readonly string[]): HttpError {
  return new HttpError('unavailable', message, { headers: ['Retry-After', '1', ...headers] });
}

/** One parameter or header is at fault. */
export function badParameter(code: ErrorCode, parameter: string, message: string): HttpError {
  return new HttpError(code, message, { details: [{ parameter, code, message }] });
}

/** The one place where what the layers below throw becomes what the outside sees. What nobody foresaw stays private. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof DomainError) {
    const details = error.faults.map(({ path, message }) => ({ pointer: toPointer(path), code: error.code, message }));
    return new HttpError(error.code, error.message, { details });
  }
  if (error instanceof OutcomeUnknown) {
    return unavailable(
      'The connection to the storage was lost during the commit, so it is unknown whether the change was saved. Check before you retry; a request with an Idempotency-Key can be retried safely.',
    );
  }
  if (error instanceof StorageUnavailable) {
    return unavailable('The storage is unavailable; nothing was changed. Try again in a moment.');
  }
  if (error instanceof VerifierUnavailable) {
    return unavailable('The identity provider is unavailable. Try again in a moment.');
  }
  if (error instanceof RequestInProgress) {
    return new HttpError(
      'idempotency_key_in_progress',
      'The first request with this Idempotency-Key is still in progress; retry in a moment to get its response.',
      { headers: ['Retry-After', '1'] },
    );
  }
  if (error instanceof KeyReused) {
    return new HttpError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different body before; retry with the same body, or use a new key.',
    );
  }
  return new HttpError(
    'internal_error',
    'The service failed unexpectedly; nothing was changed. The log contains the details under the requestId.',
  );
}

/** RFC 6901. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The body of an error: the contract's own form, or that of RFC 9457 with the same facts. */
export function errorBody(error: HttpError, requestId: string, asProblem: boolean): string {
  const { code, message, status, details, entry } = error;
  const facts = {
    code,
    message,
    status,
    ...(details.length > 0 && { details }),
    requestId,
  };
  return JSON.stringify(
    asProblem ? { type: `/errors/${code}`, title: entry.title, detail: message, ...facts } : facts,
    wholeCharacters,
  );
}

/** What a request said may hold half a character, or was cut in the middle of one. */
function wholeCharacters(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
