import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Compression } from '../response/negotiation.ts';

/** In bytes. Up to this size a thread costs more than the compression itself (40 µs); above it the event loop would wait. */
const QUICK_TO_COMPRESS = 16 * 1024;

const gzipLater = promisify(gzip);
const brotliLater = promisify(brotliCompress);

/** For a body that is sent once. */
export function compressNow(body: string | Uint8Array, coding: Compression): Buffer | Promise<Buffer> {
  const isQuick = body.length <= QUICK_TO_COMPRESS;
  if (coding === 'gzip') return isQuick ? gzipSync(body) : gzipLater(body);
  return isQuick ? brotliCompressSync(body, FAST) : brotliLater(body, FAST);
}

/** For a body that is sent many times: smaller, and slower. */
export function compressForReuse(body: string | Uint8Array, coding: Compression): Promise<Buffer> {
  return coding === 'gzip' ? gzipLater(body, { level: 9 }) : brotliLater(body, SMALL);
}

/** On lists of 100 rows, quality 3 is both faster and smaller than 4, and as fast as gzip. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

/** Quality 11 saves another 8 % on the largest file, and takes 3.5 s in place of 0.15 s. */
const SMALL = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
