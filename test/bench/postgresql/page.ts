import { chapter, circumstances } from '../page.ts';
import { busyCores, memoryVerdict, mostOf, percent, type Report, type Row } from '../report.ts';
import { WORK, type Work } from '../requests.ts';
import type { ServerFacts } from './cluster.ts';

/** So much of all cores taken is as good as all: the rest goes where nobody was ready. */
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

Written by \`npm run bench -- --postgresql\`; run it to get the numbers of your machine. Nothing on this page is typed by hand. The
same on SQLite: [benchmark.md](benchmark.md).

![Requests per second of the service and of the floor](benchmark-postgresql.svg)

${circumstances(report, [`| PostgreSQL | ${server.version}, ${settings} |`])}

${chapter(shop)}
${limitOf(shop.crews, machine.cores)}
${shop.memory.after ? `\nMemory of the service: ${memoryVerdict(shop.memory)}.\n` : ''}
## What was measured

- **service**: \`dist/petstore.js serve\` as \`npm start\` starts it, with its default settings, on a PostgreSQL of the benchmark's own that runs on the same machine
  and is reached by a Unix socket. Other settings of the server than those above are as it comes.
- **floor**: \`test/bench/postgresql/floor.ts\`, the least that gives the same answers by the same means: bare \`node:http\` and
  pg with statements that each connection prepares once, on the same rows, with the same durability, and none of the
  service's other features. An order is one transaction there as well, with the same lock, the same checks and the same rows. It waits
  for each of its seven statements, where the service sends those that need no answer one behind the other. Each has a database of its own, which is a copy of the same one.
- \`PETSTORE_POSTGRES_POOL=${pool}\`: both have at most ${pool} connections for each kind of work.
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}; the pets, categories
  and orders are scattered over the whole shop by a fixed seed, and every answer must be 2xx. Before the rounds, both
  are asked the same and must answer the same bytes; after them the service's own audit looks over both databases.
- **several processes**: all of them are processes of the service on one database, and run all the time; the load spreads its connections
  over the first one, the first two, and so on. The pool is that of each process. There is no aim.

## How to read it

- **ratio** is service per second divided by floor per second in the same round, and of these the median; 1 means that the features cost
  nothing. The aims are the project's own.
  **by one** is what several processes answer in all, divided by what one of them does.
- **CPU µs** is the CPU time of the server processes for one request, **PG CPU** that of PostgreSQL, all its processes together.
- **load** is how much of one core the load process took, the larger of both sides; near 100 % the faster side was held up by it.
  **cores busy** is how many of the ${machine.cores} cores everybody together kept busy, the load and other programs included.
- Client, server and PostgreSQL share the same ${machine.cores} cores, so these are not the numbers of a server alone. The load process took at most
  ${percent(mostOf('generator', shop))} of a core.
- Ratios repeat better than figures do. Compare runs of one quiet machine only.
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
    return [{ busy: busy / cores, told: `${share(busy)} for **${work}** (${parts})` }];
  });
  if (taken.some(({ busy }) => Number.isNaN(busy))) return 'What limits it is not known: the system does not tell.';

  const full = taken.filter(({ busy }) => busy >= ALL_BUSY);
  const limit =
    full.length === taken.length
      ? 'the processor, of which more processes only get smaller shares'
      : full.length === 0
        ? 'waiting for the disk and for each other, not the processor'
        : 'the processor where it is full, and elsewhere waiting for the disk and for each other';
  return `What limits ${most} processes on this machine is ${limit}: its ${cores} cores were taken to ${taken.map(({ told }) => told).join(', ')}.`;
}
