import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  BIND,
  COMMAND_COMPLETE,
  connectTo,
  cString,
  errorResponse,
  messageOf,
  messages,
  PARSE,
  QUERY,
  READY,
  SYNC,
  statusIn,
  TERMINATE,
  through,
  typeOf,
} from './postgres-protocol.ts';

/** How a statement fails: instead of it another one fails, or it is executed and its response becomes an error. */
export type Failing = 'instead' | 'after it was done';

/** A statement that a storage sent, and the state of its connection when it did. */
export interface SentStatement {
  readonly text: string;
  /** `I`: outside of a transaction, also before the response to `begin`. */
  readonly status: string;
}

interface Failure {
  readonly matches: RegExp;
  readonly sqlState: string;
  readonly failing: Failing;
}

/** A proxy between a storage and its server that makes one statement fail with an SQLSTATE. */
export class StatementProxy {
  /** All statements, in order. */
  readonly sent: SentStatement[] = [];
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  #failure: Failure | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async before(target: string): Promise<StatementProxy> {
    const proxy = new StatementProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The address of the database of `url` through the proxy. */
  through(url: string): string {
    return through(url, (this.#server.address() as AddressInfo).port);
  }

  /** The next statement that matches fails, once. */
  failNext(matches: RegExp, sqlState: string, failing: Failing = 'instead'): void {
    this.#failure = { matches, sqlState, failing };
  }

  /** Whether the requested failure is still to come. */
  get isWaiting(): boolean {
    return this.#failure !== undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const server = connectTo(this.#target);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    let status = 'I';
    /** For each group of messages without a response: the SQLSTATE to return instead of its end. */
    const answers: (string | undefined)[] = [];
    const texts = new Map<string, string>();
    const group: Buffer[] = [];
    let text = '';

    const forward = () => {
      const failure = this.#failure?.matches.test(text) ? this.#failure : undefined;
      if (failure) this.#failure = undefined;
      this.sent.push({ text, status });
      answers.push(failure?.failing === 'after it was done' ? failure.sqlState : undefined);
      server.write(failure?.failing === 'instead' ? raising(failure.sqlState) : Buffer.concat(group));
      group.length = 0;
      text = '';
    };
    const startup = messages(4, (message) => server.write(message));
    const requests = messages(5, (message) => {
      const type = typeOf(message);
      if (type === TERMINATE) return void server.write(message);
      group.push(message);
      if (type === QUERY) text = cString(message, 5);
      if (type === PARSE) {
        const name = cString(message, 5);
        text = cString(message, 5 + Buffer.byteLength(name) + 1);
        texts.set(name, text);
      }
      if (type === BIND) {
        const portal = cString(message, 5);
        text = texts.get(cString(message, 5 + Buffer.byteLength(portal) + 1)) ?? text;
      }
      if (type === SYNC || type === QUERY) forward();
    });
    let isStarted = false;
    client.on('data', (chunk) => {
      // The first message has no type. pg sends it alone, and trust asks for no password.
      if (isStarted) return requests(chunk);
      isStarted = true;
      startup(chunk);
    });
    let isReady = false;
    const replies = messages(5, (message) => {
      const type = typeOf(message);
      if (type === READY) {
        status = statusIn(message);
        if (isReady) answers.shift();
        isReady = true;
      }
      const sqlState = type === COMMAND_COMPLETE ? answers[0] : undefined;
      client.write(sqlState === undefined ? message : errorResponse(sqlState));
    });
    server.on('data', (chunk) => {
      client.cork();
      replies(chunk);
      client.uncork();
    });
  }
}

/** A real failure of the server, which rolls back the transaction. */
function raising(sqlState: string): Buffer {
  return messageOf(QUERY, `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$\0`);
}
