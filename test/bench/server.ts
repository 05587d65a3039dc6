import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const STARTING_MS = 30_000;
const STOPPING_MS = 20_000;

/** A server in its own process. Its output goes to a file, so that reading it costs nothing during the measuring. */
export class Server {
  readonly url: string;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(url: string, pid: number, child: ChildProcess) {
    this.url = url;
    this.pid = pid;
    this.#child = child;
  }

  /** Starts it and waits until it prints its address. */
  static async start(args: readonly string[], env: Readonly<Record<string, string>>, log: string): Promise<Server> {
    const output = openSync(log, 'w');
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child.on('error', () => undefined);
    process.once('exit', () => child.kill('SIGKILL'));

    const deadline = performance.now() + STARTING_MS;
    while (child.pid && child.exitCode === null && performance.now() < deadline) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(log, 'utf8'))?.[0];
      if (url) return new Server(url, child.pid, child);
      await pause(25);
    }
    child.kill('SIGKILL');
    throw new Error(`${args.join(' ')} did not start. Its output:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  }

  /** Ends it as an operator does, and by force after a time limit. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const force = setTimeout(() => this.#child.kill('SIGKILL'), STOPPING_MS);
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
    clearTimeout(force);
  }
}
