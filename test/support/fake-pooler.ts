import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  connectTo,
  errorResponse,
  messageOf,
  messages,
  QUERY,
  READY,
  SYNC,
  statusIn,
  TERMINATE,
  through,
  typeOf,
} from './postgres-protocol.ts';

/** How a pooler treats its clients. */
export type PoolerHabit = 'forgets prepared statements' | 'refuses start-up parameters' | 'ignores start-up parameters';

/** A connection to the server, and the client that receives its messages. */
interface ServerConnection {
  readonly socket: Socket;
  hear: (message: Buffer) => void;
}

/** Assigns any free connection to each transaction of its clients, as poolers do. */
export class FakePooler {
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #free: ServerConnection[] = [];
  readonly #target: URL;
  readonly #habit: PoolerHabit;

  private constructor(target: string, habit: PoolerHabit) {
    this.#target = new URL(target);
    this.#habit = habit;
  }

  static async before(target: string, habit: PoolerHabit): Promise<FakePooler> {
    const pooler = new FakePooler(target, habit);
    await once(pooler.#server.listen(0, '127.0.0.1'), 'listening');
    return pooler;
  }

  /** The address of the database through the pooler. */
  get address(): string {
    return through(this.#target.href, (this.#server.address() as AddressInfo).port);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #serve(client: Socket): void {
    this.#keep(client);
    client.once('data', (sent: Buffer) => {
      const startup = this.#habit === 'ignores start-up parameters' ? withoutTimeouts(sent) : sent;
      if (this.#habit === 'refuses start-up parameters' && startup.includes('statement_timeout\0')) {
        client.end(errorResponse('08P01', 'unsupported startup parameter: statement_timeout'));
        return;
      }
      client.write(Buffer.concat([messageOf('R', '\0\0\0\0'), messageOf(READY, 'I')]));
      let server: Promise<ServerConnection> | undefined;
      let unanswered = 0;
      const group: Buffer[] = [];
      const send = async () => {
        const whole = Buffer.concat(group.splice(0));
        unanswered += 1;
        server ??= this.#freeConnection(startup);
        const connection = await server;
        connection.hear = (message) => {
          client.write(message);
          if (typeOf(message) !== READY) return;
          unanswered -= 1;
          if (unanswered > 0 || statusIn(message) !== 'I') return;
          // This one lends a connection for a session.
          if (this.#habit === 'ignores start-up parameters') return;
          server = undefined;
          this.#free.push(connection);
        };
        connection.socket.write(whole);
      };
      const take = messages(5, (message) => {
        if (typeOf(message) === TERMINATE) return void client.end();
        group.push(message);
        if (typeOf(message) === SYNC || typeOf(message) === QUERY) void send();
      });
      client.on('data', take);
      client.once('close', async () => (await server)?.socket.destroy());
    });
  }

  /** The connection that was used last. */
  async #freeConnection(startup: Buffer): Promise<ServerConnection> {
    const free = this.#free.pop();
    if (free) return free;
    const socket = connectTo(this.#target);
    this.#keep(socket);
    const ready = Promise.withResolvers<void>();
    const connection: ServerConnection = {
      socket,
      hear: (message) => void (typeOf(message) === READY && ready.resolve()),
    };
    socket.on(
      'data',
      messages(5, (message) => connection.hear(message)),
    );
    socket.write(startup);
    await ready.promise;
    return connection;
  }
}

/** A start-up message without the limits that a client asks for. */
function withoutTimeouts(startup: Buffer): Buffer {
  const texts = startup.subarray(8).toString('latin1').split('\0');
  const kept: string[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const [name = '', value = ''] = texts.slice(i, i + 2);
    if (name !== '' && !name.endsWith('_timeout')) kept.push(name, value);
  }
  const body = Buffer.from(`${kept.join('\0')}\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  startup.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}
