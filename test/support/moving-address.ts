import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that changes its server, like one that a cluster manager moves. */
export class MovingAddress {
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  #target: string;

  private constructor(target: string) {
    this.#target = target;
  }

  /** Forwards to the socket at a path, at first. */
  static async to(target: string): Promise<MovingAddress> {
    const address = new MovingAddress(target);
    address.#server.listen(0, '127.0.0.1');
    await once(address.#server, 'listening');
    return address;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Forwards to another socket from now on, and closes all connections. */
  move(target: string): void {
    this.#target = target;
    this.#cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#cut();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = connect(this.#target);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.once('error', () => socket.destroy());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server).pipe(client);
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
