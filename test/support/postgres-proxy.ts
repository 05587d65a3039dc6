import { connect, createServer, type Socket } from 'node:net';

/** What gets lost of a commit: the request or the response, and whether the server receives the request later. */
export type CommitLoss = 'the wish' | 'the answer' | 'the answer, for a while the wish';

/** A proxy between a storage and its server that breaks the connection during a commit. */
export class PostgresProxy {
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  #loss: CommitLoss | undefined;
  #deliver: (() => void) | undefined;
  /** Whether all connections are refused. */
  away = false;
  /** Whether all connections are closed and refused from the lost commit on. */
  awayAfterLoss = false;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async before(target: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The address of the database through the proxy. */
  get address(): string {
    const address = new URL(this.#target);
    const { port } = this.#server.address() as { port: number };
    address.host = `127.0.0.1:${port}`;
    address.searchParams.delete('host');
    return address.href;
  }

  /** Loses the request or the response of the next commit. */
  loseCommit(loss: CommitLoss): void {
    this.#loss = loss;
  }

  /** Sends the held request to the server. */
  deliver(): void {
    this.#deliver?.();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    if (this.away) {
      client.destroy();
      return;
    }
    const socketFolder = this.#target.searchParams.get('host');
    const server = socketFolder
      ? connect(`${socketFolder}/.s.PGSQL.${this.#target.port || 5432}`)
      : connect(Number(this.#target.port || 5432), this.#target.hostname);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    }
    let loss: CommitLoss | undefined;
    client.on('data', (chunk) => {
      if (this.#loss && chunk.includes('commit\0')) {
        loss = this.#loss;
        this.#loss = undefined;
        if (this.awayAfterLoss) this.away = true;
        if (loss === 'the wish') server.destroy();
        if (loss === 'the answer, for a while the wish') {
          this.#deliver = () => server.end(chunk);
          client.destroy();
        }
        if (loss !== 'the answer') return;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (loss) client.destroy();
      else client.write(chunk);
    });
    client.once('close', () => loss === 'the answer, for a while the wish' || server.end());
    server.once('close', () => client.destroy());
  }
}
