import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/petstore.ts', import.meta.url));

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The service in its own process, as an operator runs it. */
export class ServiceProcess {
  readonly url: string;
  /** The lines of its log. */
  readonly log: readonly string[];
  readonly #child: ChildProcess;

  private constructor(url: string, log: readonly string[], child: ChildProcess) {
    this.url = url;
    this.log = log;
    this.#child = child;
  }

  /** Starts the service on a free port, and resolves when it listens. */
  static async start(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [PROGRAM], {
      env: {
        PATH: process.env['PATH'],
        PETSTORE_DEMO: 'off',
        PORT: '0',
        PETSTORE_MAX_EVENT_LOOP_LAG_MS: '60000',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const log: string[] = [];
    child.stderr.on('data', (text: Buffer) => log.push(text.toString()));
    const lines = createInterface({ input: child.stdout });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The service ended with ${code}. Its output:\n${log.join('\n')}`)));
      lines.on('line', (line) => {
        log.push(line);
        const url = /"url":"(http:[^"]+)"/.exec(line)?.[1];
        if (url) resolve(new ServiceProcess(url, log, child));
      });
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills it without warning. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops it as an operator does. Returns its exit code. */
  async stop(): Promise<number | null> {
    await this.#end('SIGTERM');
    return this.#child.exitCode;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}
