import { ERRORS, type ErrorEntry } from './error-catalogue.ts';
import type { ErrorCode } from './error-code.ts';

/** One fault, in the body (`pointer`, RFC 6901) or in a parameter or header (`parameter`). */
export interface Detail {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: string;
  readonly message: string;
}

export const MOST_DETAILS = 50;

/** An error as it leaves the service, over any transport: a code of the catalogue, what was wrong with which value, and where. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
  /** In how many seconds a retry makes sense, if that is known. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    {
      details = [],
      retryAfter,
    }: { readonly details?: readonly Detail[]; readonly retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.details = details.slice(0, MOST_DETAILS);
    this.retryAfter = retryAfter;
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  get status(): number {
    return this.entry.status;
  }
}

/** One parameter or header is at fault. */
export function badParameter(code: ErrorCode, parameter: string, message: string): ApiError {
  return new ApiError(code, message, { details: [{ parameter, code, message }] });
}

/** RFC 6901. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The body of an error: the contract's own form, or that of RFC 9457 with the same facts. */
export function errorBody(error: ApiError, requestId: string, asProblem: boolean): string {
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

/** The text of a request can contain a lone surrogate, or be cut in the middle of a pair. */
function wholeCharacters(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
