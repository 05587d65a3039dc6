import type { Exchange } from '../handler/exchange.ts';
import { compressOnce } from '../koa/compression.ts';
import type { Compress } from '../response/content-coding.ts';
import { entityTag } from '../response/entity-tags.ts';
import type { HeaderFields } from '../response/message.ts';

/** Something that stays the same while the service runs: its tag and its compressed forms are made once. */
export class StaticFile {
  readonly #content: string | Buffer;
  readonly #type: string;
  #tag: string | undefined;
  readonly #headers: HeaderFields;
  readonly #compress: Compress;

  /** `brotli`: the content as it is already compressed. */
  constructor(content: string | Buffer, type: string, headers: HeaderFields = [], brotli?: Buffer) {
    this.#content = content;
    this.#type = type;
    this.#compress = compressOnce(brotli);
    this.#headers = ['X-Content-Type-Options', 'nosniff', ...headers];
  }

  /** Sends the file, or 304 to a client that has it. @throws {HttpError} `not_acceptable`, `precondition_failed` */
  send(exchange: Exchange): void | Promise<void> {
    exchange.assertCodingAccepted();
    this.#tag ??= entityTag(exchange.digest, this.#content);
    return exchange.sendRepresentation({
      tag: this.#tag,
      headers: this.#headers,
      body: this.#content,
      type: this.#type,
      compress: this.#compress,
    });
  }
}
