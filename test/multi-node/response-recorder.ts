import type { Told, Wish } from './round-robin.ts';

/**
 * Listens to every answer of services that never end themselves, while what is behind them fails: each request gets a whole
 * answer, and each refusal for want of the storage says when to come again.
 */
export class ResponseRecorder {
  /** How many were told that the storage is away. */
  unavailable = 0;
  /** How long the longest answer took, in milliseconds. */
  slowest = 0;
  /** What should never have been said. */
  readonly faults: string[] = [];

  readonly hear = ({ method, path }: Wish, told: Told | undefined, milliseconds: number): void => {
    this.slowest = Math.max(this.slowest, milliseconds);
    if (!told) this.faults.push(`${method} ${path} was not answered`);
    else if (told.status === 503) {
      this.unavailable += 1;
      if (!(Number(told.retryAfter) >= 1)) this.faults.push(`${method} ${path}: 503 without a time to come again`);
    } else if (told.status >= 500) this.faults.push(`${method} ${path}: ${told.status} ${JSON.stringify(told.body)}`);
  };
}
