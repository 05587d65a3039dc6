import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { cpuMicrosOf, cpuMicrosOfAll, cpuMicrosOfFamily } from './process-figures.ts';
import { requestsFor, type Work } from './requests.ts';

export interface Task {
  /** The connections are spread over these: one server, or several on one shop. */
  readonly urls: readonly string[];
  /** The servers' processes. */
  readonly pids: readonly number[];
  /** The process of the database, if it has one of its own. */
  readonly database: number | undefined;
  readonly work: Work | { readonly path: string };
  readonly pets: number;
  /** Chooses the requests. */
  readonly round: number;
  readonly connections: number;
  /** Headers that every request has beside its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds before the measured ones. */
  readonly warmUp: number;
  readonly seconds: number;
}

export interface Figures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The servers' CPU time for one request, in microseconds; NaN where the system does not report it. */
  readonly cpu: number;
  /** The same of the database; NaN where it has no process of its own. */
  readonly database: number;
  /** The share of one core that the load process used, 0 to 1: near 1 it limits the throughput. */
  readonly generator: number;
  /** The share of one core that other programs used; NaN where the system does not report it. */
  readonly others: number;
  /** Requests without a 2xx response, those of the warm-up included. */
  readonly failed: number;
}

/** The process that sends the requests: one for a whole run, so that it is equally warm for every contestant. */
export class LoadProcess {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' });

  async measure(task: Task): Promise<Figures> {
    const over = new AbortController();
    const { signal } = over;
    try {
      this.#child.send(task);
      const ended = once(this.#child, 'exit', { signal }).then(() => {
        throw new Error('The load process has ended.');
      });
      const [figures] = await Promise.race([once(this.#child, 'message', { signal }), ended]);
      return figures as Figures;
    } finally {
      over.abort();
    }
  }

  stop(): void {
    this.#child.kill();
  }
}

async function measure(task: Task): Promise<Figures> {
  const { urls, work, pets, round, connections, headers, warmUp, seconds } = task;
  const requests = requestsFor(work, pets, round).map((each) => ({
    ...each,
    headers: { ...each.headers, ...headers },
  }));
  const share = Math.ceil(requests.length / connections);
  const latencies: number[] = [];
  let clients = 0;
  let failed = 0;
  let measuring = false;

  const run = autocannon({
    url: [...urls],
    connections,
    duration: warmUp + seconds + 30,
    sampleInt: 100,
    // Each connection has its own share of the requests.
    setupClient: (client) => {
      const from = (share * clients++) % requests.length;
      client.setRequests(requests.slice(from, from + share));
    },
  });
  run.on('reqError', () => failed++);
  run.on('response', (_client, status: number, _bytes, milliseconds: number) => {
    if (status < 200 || status > 299) failed++;
    if (measuring) latencies.push(milliseconds);
  });
  await Promise.race([once(run, 'response'), run]);
  await pause(warmUp * 1000);

  const before = cpuMicros(task);
  const started = performance.now();
  measuring = true;
  await pause(seconds * 1000);
  measuring = false;
  const elapsed = performance.now() - started;
  const after = cpuMicros(task);
  run.stop();
  await run;

  latencies.sort((a, b) => a - b);
  const count = latencies.length;
  const server = after.server - before.server;
  const database = after.database - before.database;
  const own = after.own - before.own;
  return {
    perSecond: (count * 1000) / elapsed,
    p50: latencies[Math.floor(count * 0.5)] ?? Number.NaN,
    p99: latencies[Math.floor(count * 0.99)] ?? Number.NaN,
    cpu: server / count,
    database: database / count,
    generator: own / elapsed / 1000,
    others: (after.all - before.all - server - (database || 0) - own) / elapsed / 1000,
    failed,
  };
}

/** The CPU time that the servers, their database, this process and all processes have used so far. */
function cpuMicros({ pids, database }: Task) {
  const { user, system } = process.cpuUsage();
  return {
    server: pids.reduce((sum, pid) => sum + cpuMicrosOf(pid), 0),
    database: database === undefined ? Number.NaN : cpuMicrosOfFamily(database),
    own: user + system,
    all: cpuMicrosOfAll(),
  };
}

if (process.send) {
  process.on('message', async (task: Task) => process.send?.(await measure(task)));
  process.once('disconnect', () => process.exit());
  // Control-C in a terminal reaches every process; this one ends when its parent has ended.
  process.on('SIGINT', () => undefined);
}
