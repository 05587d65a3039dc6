import type { Request, Response } from './round-robin.ts';

/**
 * Records every response of services whose storage fails while they run: each request gets a complete response, and each 503
 * states when to retry.
 */
export class ResponseRecorder {
  /** The number of responses with 503. */
  unavailable = 0;
  /** The duration of the slowest response, in milliseconds. */
  slowest = 0;
  /** Responses that must not occur. */
  readonly faults: string[] = [];

  readonly record = ({ method, path }: Request, response: Response | undefined, milliseconds: number): void => {
    this.slowest = Math.max(this.slowest, milliseconds);
    if (!response) this.faults.push(`${method} ${path} got no response`);
    else if (response.status === 503) {
      this.unavailable += 1;
      if (!(Number(response.retryAfter) >= 1)) this.faults.push(`${method} ${path}: 503 without Retry-After`);
    } else if (response.status >= 500)
      this.faults.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  };
}
