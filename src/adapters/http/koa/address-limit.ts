import type { Socket } from 'node:net';
import { peerAddress } from './client-address.ts';

/** Limits the open connections of each address, so that one client does not take them all. */
export class AddressLimit {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** How many addresses have a connection. */
  get addresses(): number {
    return this.#open.size;
  }

  /** Counts the connection until it closes, or closes it at once if its address has too many. */
  admit(socket: Socket): void {
    const address = peerAddress(socket);
    const count = (this.#open.get(address) ?? 0) + 1;
    if (count > this.#most) {
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
