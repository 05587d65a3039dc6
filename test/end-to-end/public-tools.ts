import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/*
 * Tools that others wrote: a proxy that holds every request and every answer against an OpenAPI document, and a client
 * that is made from one. They are fetched when they are needed, into a folder of their own, and are no part of this project.
 */

const TOOLS = ['@stoplight/prism-cli@5.16.0', 'openapi-client-axios@7.9.1', 'axios@1.21.1'];

export async function installTools(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...TOOLS];
  await promisify(execFile)('npm', options, { cwd: folder, shell: process.platform === 'win32' });
}

/** Something that runs until it is stopped. */
export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** Prism in front of a service. What does not match the document, on the way there or back, it answers with a problem of its own. */
export async function startPrism(folder: string, document: object, upstream: string): Promise<Running> {
  const file = join(folder, `openapi-${Date.now()}.json`);
  await writeFile(file, JSON.stringify(document));
  const port = await freePort();
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const prism = spawn(process.execPath, [cli, 'proxy', file, upstream, '--errors', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [prism.stdout, prism.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<void>((resolve) => void prism.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (prism.exitCode !== null || tries === 600) throw new Error(`Prism does not answer:\n${output}`);
    if (await answers(url)) break;
    await pause(100);
  }
  return {
    url,
    async stop() {
      prism.kill();
      await ended;
    },
  };
}

/** What Prism says of a request or an answer that breaks the document. */
export const PRISM_PROBLEM = 'https://stoplight.io/prism/errors';

/** The part of a client's result that the tests read. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any body of the service; the story checks it
  readonly data: any;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The operations of a document by their operationId: parameters, body, and the headers beside. */
export type PublicClient = Readonly<
  Record<string, (parameters?: object | null, data?: unknown, config?: { headers?: object }) => Promise<Reply>>
>;

/** The client that openapi-client-axios makes of a document. */
export async function publicClient(folder: string, document: object, url: string): Promise<PublicClient> {
  const { OpenAPIClientAxios } = createRequire(join(folder, 'package.json'))('openapi-client-axios') as {
    OpenAPIClientAxios: new (options: object) => { init(): Promise<PublicClient> };
  };
  const defaults = { baseURL: url, validateStatus: () => true, paramsSerializer: { indexes: null } };
  return await new OpenAPIClientAxios({ definition: document, axiosConfigDefaults: defaults }).init();
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
