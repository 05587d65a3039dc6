import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreFromEvents } from './store-from-events.ts';

const PROGRAM = fileURLToPath(new URL('follow-events.ts', import.meta.url));

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export type Way = 'pages' | 'stream';

/** A consumer in its own process, which follows the events of services and survives its own death by the files in its folder. */
export class EventConsumer {
  readonly #folder: string;
  readonly #way: Way;
  #child: ChildProcess | undefined;

  constructor(folder: string, way: Way) {
    this.#folder = folder;
    this.#way = way;
  }

  /** Tells it where the services are now. */
  async follow(urls: readonly string[]): Promise<void> {
    await this.#tell('services', urls.join('\n'));
  }

  start(): void {
    const child = spawn(process.execPath, [PROGRAM, this.#folder, this.#way], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    this.#child = child;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills it without warning. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exit();
  }

  /** Resolves with its exit code when it has received every event up to a position. */
  async finish(position: number): Promise<number | null> {
    await this.#tell('end', String(position));
    await this.#exit();
    return this.#child?.exitCode ?? null;
  }

  /** The store as the events describe that it received. */
  async store(): Promise<StoreFromEvents> {
    const store = new StoreFromEvents();
    for (const line of (await readFile(join(this.#folder, 'journal'), 'utf8')).split('\n')) {
      if (isComplete(line)) store.receive(line);
    }
    return store;
  }

  async #tell(name: string, text: string): Promise<void> {
    const file = join(this.#folder, name);
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  async #exit(): Promise<void> {
    if (this.#child && this.isRunning) await once(this.#child, 'exit');
  }
}

/** Whether the consumer was not killed while it wrote the line. */
function isComplete(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
