import { createReadStream } from 'node:fs';

/** The maximum size of a key set, in bytes. A hundred RSA keys are a fifth of this. */
const MAX_BYTES = 256 * 1024;

/** Fetches an address without following redirects; `timeout` limits the whole transfer, in milliseconds. */
export async function fetchText(address: URL, timeout: number): Promise<string> {
  const response = await fetch(address, {
    headers: { Accept: 'application/jwk-set+json, application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`${address.origin} answered with status ${response.status}.`);
  }
  return textOf(response.body, address.origin);
}

export function readText(file: string): Promise<string> {
  return textOf(createReadStream(file), file);
}

async function textOf(bytes: AsyncIterable<Uint8Array>, from: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    parts.push(part);
    length += part.length;
    if (length > MAX_BYTES) throw new Error(`${from} returned more than the ${MAX_BYTES} bytes allowed for a key set.`);
  }
  return Buffer.concat(parts).toString();
}
