import { connect, type Socket } from 'node:net';
import { fieldsOf } from './document-check.ts';

/** A response as it was received. */
export interface RawResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A connection on which the test writes every byte. Text is sent with one byte per character (Latin-1). */
export class RawSocket {
  /** Resolves when the connection has ended, on either side and for any reason. */
  readonly closed: Promise<void>;
  /** What went wrong with the connection, such as a reset. */
  fault: Error | undefined;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', (error) => {
      this.fault ??= error;
    });
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  static async connect(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawSocket(socket);
  }

  send(bytes: string | Uint8Array): this {
    if (typeof bytes === 'string') this.#socket.write(bytes, 'latin1');
    else this.#socket.write(bytes);
    return this;
  }

  /** Resolves when all bytes were passed to the network. */
  async flushed(): Promise<void> {
    while (this.#socket.writableLength > 0 && !this.#isClosed) {
      await Promise.race([new Promise((resolve) => this.#socket.once('drain', resolve)), this.closed]);
    }
  }

  /** Ends the sending side, and continues to read. */
  finish(): this {
    this.#socket.end();
    return this;
  }

  /** Reads nothing until {@link readOn}. */
  pause(): this {
    this.#socket.pause();
    return this;
  }

  readOn(): this {
    this.#socket.resume();
    return this;
  }

  /** Resets the connection. */
  async reset(): Promise<void> {
    this.#socket.resetAndDestroy();
    await this.closed;
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  /** All received bytes that are not part of a response. */
  get rest(): string {
    return this.#received.toString('latin1');
  }

  /** The next response; `undefined` if the connection ended without a complete one. */
  async answer(method = 'GET'): Promise<RawResponse | undefined> {
    for (;;) {
      const found = parse(this.#received, method);
      if (found) {
        this.#received = this.#received.subarray(found.length);
        return found.answer;
      }
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function parse(bytes: Buffer, method: string): { readonly answer: RawResponse; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const match = /^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(line);
  if (!match) throw new Error(`This is no status line: ${line}`);
  const status = Number(match[1]);
  const rawHeaders = fields.flatMap((field) => {
    const at = field.indexOf(':');
    return [field.slice(0, at), field.slice(at + 1).trim()];
  });
  const headers = fieldsOf(rawHeaders);

  const isEmpty = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const length = isEmpty ? 0 : Number(headers.get('content-length'));
  if (Number.isNaN(length)) throw new Error(`This answer does not say how long it is: ${line}`);
  const begin = end + 4;
  if (bytes.length < begin + length) return undefined;
  return { answer: { status, headers, body: bytes.subarray(begin, begin + length) }, length: begin + length };
}
