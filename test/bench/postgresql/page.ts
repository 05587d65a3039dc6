import { chapter, circumstances } from '../page.ts';
import { busyCores, describeMemory, mostOf, percent, type Report, type Row } from '../report.ts';
import { WORK, type Work } from '../requests.ts';
import type { ServerFacts } from './cluster.ts';

/** From this share on, the cores count as fully used: the rest is lost while no process is ready. */
const ALL_BUSY = 0.9;

export interface PostgresqlReport extends Report {
  readonly server: ServerFacts;
  /** Connections. */
  readonly pool: number;
}

/** The page about PostgreSQL. Every number in it is of the run. */
export function page(report: PostgresqlReport): string {
  const { machine, shop, server, pool } = report;
  const settings = server.settings.map(({ name, value }) => `\`${name}=${value}\``).join(', ');
  return `# Benchmark on PostgreSQL

\`npm run bench -- --postgresql\` generates this page; run it to get the figures of your machine. No figure is entered by hand. The
same on SQLite: [benchmark.md](benchmark.md).

![Requests per second of the service and of the floor](benchmark-postgresql.svg)

${circumstances(report, [`| PostgreSQL | ${server.version}, ${settings} |`])}

${chapter(shop)}
${limitOf(shop.crews, machine.cores)}
${shop.memory.after ? `\nMemory of the service: ${describeMemory(shop.memory)}.\n` : ''}
## What was measured

- **service**: \`dist/petstore.js serve\` as \`npm start\` starts it, with its default settings, on a PostgreSQL that the benchmark starts on the same machine
  and connects to over a Unix socket. All settings of the server except those above are defaults.
- **floor**: \`test/bench/postgresql/floor.ts\`, the minimal program that returns the same responses in the same way: bare \`node:http\` and
  pg with statements that each connection prepares once, on the same rows, with the same durability, and none of the
  service's other features. Each order is one transaction there too, with the same lock, the same checks and the same rows. The floor waits
  for each of its seven statements; the service pipelines those whose results it does not need. Service and floor have separate databases,
  copies of the same one.
- \`PETSTORE_POSTGRES_POOL=${pool}\`: both have at most ${pool} connections for each kind of work.
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}; a fixed seed distributes
  the requests over the pets, categories and orders of the whole store, and every response must be 2xx. Before the rounds, both
  receive the same requests and must return the same bytes; after the rounds the service's own audit checks both databases.
- **several processes**: several processes of the service share one database. All of them run throughout; the load spreads its connections
  over the first one, the first two, and so on. Each process has its own pool. There is no aim.

## How to read it

- **±** is half of the distance between the quartiles of the rounds. A **ratio** is computed for each round; its median and quartiles are
  shown. The targets are the project's own.
  **speed-up** is the throughput of several processes divided by that of one.
- **CPU µs** is the CPU time of the server processes per request, **PG CPU** that of all processes of PostgreSQL.
- **load** is the share of one core that the load process used, the larger of both; near 100 % it limited the faster one.
  **cores busy** is the number of the ${machine.cores} cores that were busy, including the load and other programs.
- Client, server and PostgreSQL share the same ${machine.cores} cores, so these are not the figures of a server alone. The load process used at most
  ${percent(mostOf('generator', shop))} of a core.
- Ratios are more reproducible than absolute figures. Compare only runs on the same idle machine.
`;
}

/** What held up the most processes that were measured, in one sentence. */
function limitOf(crews: readonly Row<number>[], cores: number): string {
  const most = Math.max(...crews.flatMap(({ figures }) => [...figures.keys()]));
  const taken = crews.flatMap(({ work, figures }) => {
    const figure = figures.get(most);
    if (!figure) return [];
    const { perSecond, cpu, database, generator } = figure;
    const share = (used: number) => percent(Math.min(1, used / cores));
    const service = share((perSecond * cpu) / 1_000_000);
    const parts = `service ${service}, PostgreSQL ${share((perSecond * database) / 1_000_000)}, load ${share(generator)}`;
    const busy = busyCores(figure);
    return [{ busy: busy / cores, text: `${share(busy)} for **${work}** (${parts})` }];
  });
  if (taken.some(({ busy }) => Number.isNaN(busy))) return 'The limiting factor cannot be measured on this system.';

  const full = taken.filter(({ busy }) => busy >= ALL_BUSY);
  const limit =
    full.length === taken.length
      ? 'the processor: further processes only get smaller shares of it'
      : full.length === 0
        ? 'waiting for the disk and for other processes, not the processor'
        : 'the processor where it is fully used, and otherwise waiting for the disk and for other processes';
  return `The limit of ${most} processes on this machine is ${limit}. Its ${cores} cores were used to ${taken.map(({ text }) => text).join(', ')}.`;
}
