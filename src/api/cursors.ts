import type { Position } from '../application/ports/reader.ts';
import type { Digest } from './digest.ts';
import { badParameter } from './errors/api-error.ts';

/**
 * A cursor is the position at which the previous page ended, and a checksum over it, the list, its sort and its filters. The
 * checksum needs no secret, because a cursor gives no access beyond the list itself. It ensures that a cursor is used only with the
 * list for which it was made, and that a changed or invented cursor is refused.
 */
export class Cursors {
  readonly #digest: Digest;

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  /** `list` names the list with its sort and its filters. */
  make({ key, id }: Position, list: string): string {
    const position = toBase64Url(JSON.stringify([key, id]));
    return `${position}.${this.#checksumOf(position, list)}`;
  }

  /** @throws {ApiError} `invalid_cursor` */
  open(cursor: string, list: string, sort: string): Position {
    const [text = '', checksum] = cursor.split('.');
    const isIntact = cursor === `${text}.${checksum}` && checksum === this.#checksumOf(text, list);
    const position = isIntact ? positionIn(text, sort) : undefined;
    if (position) return position;
    const message =
      'The cursor does not belong to this list, sort order and filters: follow the rel="next" link unchanged, or start without a cursor.';
    throw badParameter('invalid_cursor', 'cursor', message);
  }

  #checksumOf(position: string, list: string): string {
    return this.#digest.sha256(`${position} ${list}`).slice(0, 16);
  }
}

/** Any client can compute the checksum, so the position is checked too. */
function positionIn(text: string, sort: string): Position | undefined {
  try {
    const [key, id] = JSON.parse(fromBase64Url(text)) as unknown[];
    const isKey = sort.endsWith('name')
      ? typeof key === 'string' && key.isWellFormed() && !/\p{Cc}/u.test(key)
      : Number.isSafeInteger(key) || (key === null && sort.endsWith('shipDate'));
    return isKey && Number.isSafeInteger(id) ? { key: key as Position['key'], id: id as number } : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const ASCII = /^[\x20-\x7e]*$/;

function toBase64Url(text: string): string {
  const base64 = btoa(ASCII.test(text) ? text : String.fromCharCode(...encoder.encode(text)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): string {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
