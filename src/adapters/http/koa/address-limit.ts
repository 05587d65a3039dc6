import type { Socket } from 'node:net';
import { peerAddress } from './client-address.ts';

/** Limits the open connections of each address, so that one client does not take them all. */
export class AddressLimit {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** How many addresses have an open connection. */
  get addresses(): number {
    return this.#open.size;
  }

  /** Counts the connection until it closes, or destroys it at once if its address has too many. */
  admit(socket: Socket): void {
    const address = peerAddress(socket);
    const count = (this.#open.get(address) ?? 0) + 1;
    if (count > this.#max) {
      socket.destroy();
      return;
    }
    this.#open.set(address, count);
    socket.once('close', () => {
      const left = (this.#open.get(address) ?? 1) - 1;
      if (left > 0) this.#open.set(address, left);
      else this.#open.delete(address);
    });
  }
}
