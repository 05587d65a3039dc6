import type { Exchange } from '../engine/exchange.ts';
import { entityTag } from '../protocol/conditional.ts';
import { type Compress, compressOnce } from '../protocol/content-coding.ts';
import type { HeaderFields } from '../protocol/message.ts';

/** Something that stays the same while the service runs: its tag and its compressed forms are made once. */
export class StaticFile {
  readonly #content: string | Buffer;
  readonly #type: string;
  readonly #tag: string;
  readonly #headers: HeaderFields;
  readonly #compress: Compress;

  /** `brotli`: the content as it is already compressed. */
  constructor(content: string | Buffer, type: string, headers: HeaderFields = [], brotli?: Buffer) {
    this.#content = content;
    this.#type = type;
    this.#tag = entityTag(content);
    this.#compress = compressOnce(brotli);
    this.#headers = ['X-Content-Type-Options', 'nosniff', ...headers];
  }

  /** Sends the file, or 304 to a client that has it. @throws {HttpError} `not_acceptable`, `precondition_failed` */
  send(exchange: Exchange): void | Promise<void> {
    exchange.mustAcceptCoding();
    return exchange.sendRepresentation({
      tag: this.#tag,
      headers: this.#headers,
      body: this.#content,
      type: this.#type,
      compress: this.#compress,
    });
  }
}
