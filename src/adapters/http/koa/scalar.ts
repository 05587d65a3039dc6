import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

/** What the build leaves beside this module. */
const BUILT = new URL('./scalar.js.br', import.meta.url);

/** Scalar's standalone script, as it is and compressed with Brotli. */
export async function readScalar(): Promise<{ readonly script: Buffer; readonly brotli: Buffer }> {
  const brotli = await compressedScalar();
  return { script: await promisify(brotliDecompress)(brotli), brotli };
}

/**
 * Scalar's standalone script, compressed with Brotli. The build copies it from a development dependency, so that the
 * service needs no package for it; in a checkout that is not built, it comes from that dependency itself.
 */
export async function compressedScalar(): Promise<Buffer> {
  try {
    return await readFile(BUILT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return compressScalar(4);
  }
}

interface Route {
  readonly url: string;
  handler(request: undefined, reply: object): unknown;
}

/**
 * Takes the script out of Scalar's plugin for Fastify, which serves it as one of its routes, and compresses it.
 * `@scalar/api-reference` itself has the script too, but depends on 272 packages.
 */
export async function compressScalar(quality: number): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes: Route[] = [];
  const fastify = { route: (route: Route) => routes.push(route), initialConfig: {}, hasPlugin: () => false };
  // What the plugin uses of Fastify.
  plugin(fastify as never, { configuration: { url: '/openapi.json' } }, () => undefined);
  const reply = { header: () => reply, send: (content: unknown) => content };
  const script = routes.find(({ url }) => url.endsWith('.js'))?.handler(undefined, reply);
  if (typeof script !== 'string') throw new Error('The plugin serves no script.');
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: script.length };
  return promisify(brotliCompress)(script, { params });
}
