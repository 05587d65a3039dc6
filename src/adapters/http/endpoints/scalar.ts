import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { ServiceEndpoint } from '../handler/service-endpoint.ts';
import { SCRIPT_TYPE } from './html.ts';
import { StaticFile } from './static-file.ts';

/** What the build leaves beside this module. */
const BUILT = new URL('./scalar.js.br', import.meta.url);

/** The script of the reference page. Its four megabytes are read when they are first requested. */
export function scalarEndpoint(): ServiceEndpoint {
  let file: Promise<StaticFile> | undefined;
  return { path: '/docs/scalar.js', serve: async (exchange) => (await (file ??= readScalar())).send(exchange) };
}

async function readScalar(): Promise<StaticFile> {
  const compressed = await compressedScalar();
  return new StaticFile(await promisify(brotliDecompress)(compressed), SCRIPT_TYPE, [], compressed);
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
