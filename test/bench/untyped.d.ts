/* Packages that bring no types, as far as the benchmark uses them. */

declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }

  interface Client {
    setRequests(requests: readonly Request[]): void;
  }

  /** Emits `response` (client, status, bytes, milliseconds) and `reqError`; resolves when it has ended. */
  interface Run extends EventEmitter, PromiseLike<unknown> {
    stop(): void;
  }

  export default function autocannon(options: {
    readonly url: string | string[];
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds. */
    readonly sampleInt: number;
    setupClient(client: Client): void;
  }): Run;
  export type { Request };
}
