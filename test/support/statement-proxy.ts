import { connect, createServer, type Socket } from 'node:net';

/** How a statement fails: in its place something else fails, or it is done and its answer becomes an error. */
export type Failing = 'instead' | 'after it was done';

/** A statement that a storage sent, and the state of its connection when it did. */
export interface SentStatement {
  readonly text: string;
  /** `I`: outside of a transaction, also while no answer to `begin` has come. */
  readonly status: string;
}

interface Failure {
  readonly matches: RegExp;
  readonly sqlState: string;
  readonly failing: Failing;
}

const SYNC = 'S';
const QUERY = 'Q';
const PARSE = 'P';
const BIND = 'B';
const TERMINATE = 'X';
const READY = 'Z';
const COMMAND_COMPLETE = 'C';

/** Stands between a storage and its server, knows their protocol, and makes one statement fail with an SQLSTATE. */
export class StatementProxy {
  /** All that was sent, in order. */
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

  /** The same database as `url`, through here. */
  through(url: string): string {
    const address = new URL(url);
    const { port } = this.#server.address() as { port: number };
    address.host = `127.0.0.1:${port}`;
    address.searchParams.delete('host');
    return address.href;
  }

  /** The next statement that matches fails, once. */
  failNext(matches: RegExp, sqlState: string, failing: Failing = 'instead'): void {
    this.#failure = { matches, sqlState, failing };
  }

  /** Whether the failure that was asked for is still to come. */
  get isWaiting(): boolean {
    return this.#failure !== undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const folder = this.#target.searchParams.get('host');
    const server = folder
      ? connect(`${folder}/.s.PGSQL.${this.#target.port || 5432}`)
      : connect(Number(this.#target.port || 5432), this.#target.hostname);
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
    /** For each group that was sent and is not answered yet: the SQLSTATE to answer in place of its end. */
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
      const type = String.fromCharCode(message[0] as number);
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
      const type = String.fromCharCode(message[0] as number);
      if (type === READY) {
        status = String.fromCharCode(message[5] as number);
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

/** Cuts a stream into messages, whose length is in the four bytes that end at `lengthEnd`. */
function messages(lengthEnd: 4 | 5, take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= lengthEnd) {
      const end = lengthEnd - 4 + rest.readUInt32BE(lengthEnd - 4);
      if (rest.length < end) return;
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

function cString(message: Buffer, from: number): string {
  return message.toString('utf8', from, message.indexOf(0, from));
}

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

/** A real failure of the server's, which undoes the transaction that it comes in. */
function raising(sqlState: string): Buffer {
  return message(QUERY, `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$\0`);
}

function errorResponse(sqlState: string): Buffer {
  return message('E', `SERROR\0VERROR\0C${sqlState}\0Minjected\0\0`);
}
