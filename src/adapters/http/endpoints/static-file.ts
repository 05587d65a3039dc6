import type { Exchange } from '../handler/exchange.ts';
import type { HeaderFields } from '../response/message.ts';
import type { Compression } from '../response/negotiation.ts';
import { entityTag } from '../response/rendering.ts';

/** A file that does not change while the service runs: its tag and compressed forms are computed once. */
export class StaticFile {
  readonly #content: string | Uint8Array;
  readonly #type: string;
  #tag: string | undefined;
  readonly #headers: HeaderFields;
  readonly #compressed = new Map<Compression, Uint8Array | Promise<Uint8Array>>();

  /** `brotli`: the content in its compressed form, if that exists already. */
  constructor(content: string | Uint8Array, type: string, headers: HeaderFields = [], brotli?: Uint8Array) {
    this.#content = content;
    this.#type = type;
    if (brotli) this.#compressed.set('br', brotli);
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
      compress: (body, coding) => {
        const compressed = this.#compressed.get(coding) ?? exchange.compressForReuse(body, coding);
        this.#compressed.set(coding, compressed);
        return compressed;
      },
    });
  }
}
