import { LIMITS } from './contest.ts';
import { type Measured, memoryVerdict, mostOf, percent, type Report, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';
import { markdown, tablesOf } from './tables.ts';

/** The page about SQLite. Every number in it is of the run. */
export function page(report: Report): string {
  const { machine, shop, large } = report;
  const limits = Object.entries(LIMITS)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' and ');
  const shops = large ? [shop, large] : [shop];
  return `# Benchmark

\`npm run bench\` generates this page; run it to get the figures of your machine. No figure is entered by hand. The same on
PostgreSQL: [benchmark-postgresql.md](benchmark-postgresql.md).

![Requests per second of the service and of the floor](benchmark.svg)

${circumstances(report)}

${shops.map(chapter).join('\n')}
${shops.map(({ pets, memory }) => (memory.after ? `- Memory of the service with ${whole(pets)} pets: ${memoryVerdict(memory)}\n` : '')).join('')}
## What was measured

- **service**: \`dist/petstore.js serve\` as \`npm start\` starts it, with its default settings, on a SQLite file.
- **floor**: \`test/bench/floor.ts\`, the minimal program that returns the same responses on this machine: bare \`node:http\` and
  SQL prepared once through better-sqlite3, with the same file, pragmas and durability (WAL, \`synchronous=FULL\`), the same
  rows and the same checks for an order, and none of the service's other features. Each order is one transaction.
- **open**: the service without authentication. **guarded**: the service with \`PETSTORE_AUTH=api-key\` and its rate limit,
  called with an API key that has the required scopes. With ${limits}
  every request is counted in two time windows, as by default, and none is rejected.
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}; a fixed seed distributes
  the requests over the pets, categories and orders of the whole store, and every response must be 2xx. Before the rounds, all
  servers receive the same requests and must return the same bytes; after the rounds the service's own audit checks all their files.
- **page**: \`GET /pets?limit=20\`, the first page and one near the end, reached by following \`next\` links; one connection, only the service.

## How to read it

- **ratio** is service per second divided by floor per second, or guarded per second divided by open per second: the median of the
  ratios of all rounds. 1 means that the features cost nothing. The aims are the project's own.
- Above 1 the service is faster than the floor: units of work that wait at the same time share one durable commit
  ([why](adr/0002-one-writer-group-commit.md)), while the floor waits for the disk once per order.
- **CPU µs** is the server process's CPU time per request. It does not depend on the rate of the load.
- **load** is the share of one core that the load process used, the larger of both sides; near 100 % it limited the faster side.
- The load process (autocannon) runs on the same ${machine.cores} cores as the server, so these are not the figures of a
  server alone: at 1 connection client and server alternate, and the client's share of the time brings every ratio closer to 1.
  It used at most ${percent(mostOf('generator', shop))} of a core with ${whole(shop.pets)} pets.
- Ratios are more reproducible than absolute figures. Compare only runs on the same idle machine.
`;
}

/** A shop's part of a page. */
export function chapter(measured: Measured): string {
  const tables = tablesOf(measured).map(
    ({ title, table }) => `${title === undefined ? '' : `### ${title}\n\n`}${markdown(table)}\n`,
  );
  return `## ${whole(measured.pets)} pets\n\n${tables.join('\n')}`;
}

/** Where and how a report came about, as a table; `more` is what it is to say beside that. */
export function circumstances({ machine, rounds, seconds, shop }: Report, more: readonly string[] = []): string {
  const others = mostOf('others', shop);
  return [
    '| | |',
    '|---|---|',
    `| machine | ${machine.cores} cores, ${machine.model}, ${(machine.memory / 2 ** 30).toFixed(0)} GiB |`,
    `| system | ${machine.system}, Node ${machine.node} |`,
    ...more,
    `| disk | ${machine.sync.toFixed(2)} ms for a durable write of 4 KiB (\`fdatasync\`, median) |`,
    `| date | ${machine.date} |`,
    `| rounds | ${rounds} of ${seconds} s for each figure, all servers alternating; medians |`,
    ...(Number.isNaN(others) ? [] : [`| other programs | used up to ${percent(others)} of one core during the run |`]),
  ].join('\n');
}
