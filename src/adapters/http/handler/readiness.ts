import { unavailable } from '../http-error.ts';

/** Whether the service accepts requests. */
export class Readiness {
  #state: 'starting' | 'open' | 'closing' = 'starting';

  open(): void {
    this.#state = 'open';
  }

  close(): void {
    this.#state = 'closing';
  }

  /** Closes the connection after the response, so that the client finds another node. @throws {HttpError} `unavailable` */
  assertOpen(): void {
    if (this.#state === 'open') return;
    const doing = this.#state === 'starting' ? 'starting' : 'shutting down';
    throw unavailable(`The service is ${doing}; the request was not processed.`, 'Connection', 'close');
  }
}
