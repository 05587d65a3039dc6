import { stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressScalar } from '../../src/adapters/http/koa/scalar.ts';

/*
 * The part of the build that the compiler does not do: it copies the script of the reference page into `dist`, compressed,
 * so that the service runs without the package that it comes from.
 */

/** Smaller ones take ten times as long for a tenth of the size. */
const QUALITY = 9;

/** Where the copy is newer than the package that it comes from, only its time is renewed: the build removes what it has not written. */
export async function copyScalar(dist: string): Promise<void> {
  const copy = join(dist, 'adapters/http/koa/scalar.js.br');
  const source = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const isCurrent = (await changedAt(copy)) > (await changedAt(source));
  if (isCurrent) await utimes(copy, new Date(), new Date());
  else await writeFile(copy, await compressScalar(QUALITY));
}

async function changedAt(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found ? found.ctimeMs : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await copyScalar(fileURLToPath(new URL('../../dist', import.meta.url)));
}
