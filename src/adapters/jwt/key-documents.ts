import { createReadStream } from 'node:fs';

/** The largest key set that is read, in bytes. One with a hundred keys of RSA is a fifth of this. */
const LARGEST = 256 * 1024;

/** What an address answers, without going where else it may point, and within so many milliseconds as a whole. */
export async function fetchText(address: URL, timeout: number): Promise<string> {
  const answer = await fetch(address, {
    headers: { Accept: 'application/jwk-set+json, application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
  });
  if (answer.status !== 200 || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`${address.origin} answered with status ${answer.status}.`);
  }
  return textOf(answer.body, address.origin);
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
    if (length > LARGEST) throw new Error(`${from} returned more than the ${LARGEST} bytes allowed for a key set.`);
  }
  return Buffer.concat(parts).toString();
}
