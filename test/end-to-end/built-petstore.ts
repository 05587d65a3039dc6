import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Running } from './public-tools.ts';

const PETSTORE = fileURLToPath(new URL('../../dist/petstore.js', import.meta.url));

/** Starts the service as it was built, on a file and a free port. */
export function startPetstore(file: string): Promise<Running> {
  return startPetstoreWith({ DATABASE_URL: `sqlite:${file}`, PETSTORE_DEMO: 'off' });
}

/** Starts the service as it was built, with these settings and on a free port. */
export async function startPetstoreWith(settings: Readonly<Record<string, string>>): Promise<Running> {
  const petstore = spawn(process.execPath, [PETSTORE], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(petstore, 'exit');
  for await (const line of createInterface({ input: petstore.stdout })) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url === undefined) continue;
    petstore.stdout.resume();
    return {
      url,
      async stop() {
        petstore.kill('SIGTERM');
        const [code] = (await ended) as [number | null];
        if (code !== 0) throw new Error(`The petstore ended with ${code}.`);
      },
    };
  }
  throw new Error('The petstore ended before it was open.');
}

/** What the audit of a store says, and its exit code. */
export async function audit(file: string): Promise<{ output: string; code: number | null }> {
  const auditor = spawn(process.execPath, [PETSTORE, 'audit'], {
    env: { ...process.env, DATABASE_URL: `sqlite:${file}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  auditor.stdout.on('data', (text) => (output += String(text)));
  const [code] = (await once(auditor, 'close')) as [number | null];
  return { output, code };
}
