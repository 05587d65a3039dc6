import { inBackground } from '../../../application/event-loop.ts';
import { CHANNEL } from './event-relay.ts';
import type { PostgresqlClient } from './postgresql-pool.ts';

/** A connection of pg that can receive notifications, as far as it is used here. */
export interface ListeningClient extends PostgresqlClient {
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
}

/** A connection of its own, and how it is closed. */
export interface ListeningConnection {
  readonly client: ListeningClient;
  close(): Promise<void>;
}

/** The pause before another attempt to connect, in milliseconds. */
const RECONNECT_MS = 2_000;

/** Listens for the notifications of all nodes, on a connection of its own, which is replaced when it is lost. */
export class EventListener {
  readonly #connect: () => Promise<ListeningConnection>;
  readonly #onNotified: () => void;
  #connection: Promise<ListeningConnection | undefined> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(connect: () => Promise<ListeningConnection>, onNotified: () => void) {
    this.#connect = connect;
    this.#onNotified = onNotified;
    this.#listen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await (await this.#connection)?.close();
  }

  #listen(): void {
    this.#connection = this.#opened();
  }

  async #opened(): Promise<ListeningConnection | undefined> {
    let connection: ListeningConnection | undefined;
    try {
      connection = await this.#connect();
      const { client } = connection;
      const lost = () => void this.#replace(client);
      client.on('notification', this.#onNotified);
      client.on('error', lost);
      client.on('end', lost);
      await client.query(`listen ${CHANNEL}`);
      // Something may have happened before.
      this.#onNotified();
      return connection;
    } catch {
      await connection?.close().catch(() => undefined);
      this.#tryLater();
      return undefined;
    }
  }

  async #replace(lost: ListeningClient): Promise<void> {
    const connection = await this.#connection;
    if (connection?.client !== lost || this.#isClosed) return;
    this.#connection = undefined;
    await connection.close().catch(() => undefined);
    this.#tryLater();
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = inBackground(setTimeout(() => this.#listen(), RECONNECT_MS));
  }
}
