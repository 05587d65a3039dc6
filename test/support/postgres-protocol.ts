import { connect, type Socket } from 'node:net';

/** The types of messages that the tests read. */
export const SYNC = 'S';
export const QUERY = 'Q';
export const PARSE = 'P';
export const BIND = 'B';
export const TERMINATE = 'X';
export const READY = 'Z';
export const COMMAND_COMPLETE = 'C';

export const typeOf = (message: Buffer) => String.fromCharCode(message[0] as number);

/** The state in the response that ends each group of messages: `I`, `T` or `E`. */
export const statusIn = (ready: Buffer) => String.fromCharCode(ready[5] as number);

/** A connection to the server in an address, over TCP or its socket. */
export function connectTo({ searchParams, port, hostname }: URL): Socket {
  const folder = searchParams.get('host');
  const socket = folder ? connect(`${folder}/.s.PGSQL.${port || 5432}`) : connect(Number(port || 5432), hostname);
  socket.setNoDelay(true);
  return socket;
}

/** The address of the database of `url` through a local port. */
export function through(url: string, port: number): string {
  const address = new URL(url);
  address.host = `127.0.0.1:${port}`;
  address.searchParams.delete('host');
  return address.href;
}

/** Splits a stream into messages, whose length is in the four bytes that end at `lengthEnd`. */
export function messages(lengthEnd: 4 | 5, take: (message: Buffer) => void): (chunk: Buffer) => void {
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

/** The text that ends before the next zero byte. */
export function cString(message: Buffer, from: number): string {
  return message.toString('utf8', from, message.indexOf(0, from));
}

export function messageOf(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

export function errorResponse(sqlState: string, text = 'injected'): Buffer {
  return messageOf('E', `SERROR\0VERROR\0C${sqlState}\0M${text}\0\0`);
}
