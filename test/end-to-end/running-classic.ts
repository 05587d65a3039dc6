import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

export const CLASSIC = fileURLToPath(new URL('../../docs/examples/classic-transport/start.js', import.meta.url));

/** What the program prints when both transports listen. */
export interface ClassicUrls {
  readonly store: string;
  readonly classic: string;
}

export interface RunningClassic extends ClassicUrls {
  stop(): Promise<void>;
}

/** Starts the classic transport from the checkout as it was built, on free ports and an empty store. */
export async function startClassic(settings: Readonly<Record<string, string>> = {}): Promise<RunningClassic> {
  const env = {
    ...process.env,
    PORT: '0',
    CLASSIC_PORT: '0',
    DATABASE_URL: 'memory:',
    PETSTORE_DEMO: 'off',
    ...settings,
  };
  const program = spawn(process.execPath, [CLASSIC], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  for await (const line of createInterface({ input: program.stdout })) {
    program.stdout.resume();
    return {
      ...(JSON.parse(line) as ClassicUrls),
      async stop() {
        program.kill('SIGTERM');
        expect(await ended).to.deep.equal([0, null]);
      },
    };
  }
  throw new Error('The classic transport ended before it listened.');
}
