import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPetstore, type Petstore, type PetstoreConfig } from '../../src/composition/create-petstore.ts';

/** The minimum for a test: a free port, an empty store in memory, no output. */
export const QUIET = {
  port: 0,
  databaseUrl: 'memory:',
  demo: false,
  logLevel: 'silent',
  limits: { eventLoopLag: 60_000 },
} as const;

/** A module of another team in `fixtures`, by its path from the working directory. */
export function fixture(name: string): string {
  return `./${relative(process.cwd(), fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)))}`;
}

/** So that no connection remains open. */
export const ONCE = { Connection: 'close' };

/** Starts petstores; those that still run after a test are closed. */
export function petstores(): (config?: PetstoreConfig) => Promise<Petstore> {
  const started: Petstore[] = [];
  afterEach(async () => {
    for (const petstore of started.splice(0)) await petstore.close();
  });
  return async (config = {}) => {
    const petstore = await createPetstore({ ...QUIET, ...config, limits: { ...QUIET.limits, ...config.limits } });
    started.push(petstore);
    return petstore;
  };
}

export async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return (await fetch(url, { headers: { ...ONCE, ...headers } })).status;
}

export function portOf({ url }: Petstore): number {
  return Number(new URL(url).port);
}

export function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { ...ONCE, 'Content-Type': 'application/json' } });
}

/** Occupies a free port until the test releases it. */
export async function takenPort(): Promise<{ port: number; giveBack(): Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    giveBack: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
