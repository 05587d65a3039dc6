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

Written by \`npm run bench\`; run it to get the numbers of your machine. Nothing on this page is typed by hand. The same on
PostgreSQL: [benchmark-postgresql.md](benchmark-postgresql.md).

![Requests per second of the service and of the floor](benchmark.svg)

${circumstances(report)}

${shops.map(chapter).join('\n')}
${shops.map(({ pets, memory }) => (memory.after ? `- Memory of the service with ${whole(pets)} pets: ${memoryVerdict(memory)}\n` : '')).join('')}
## What was measured

- **service**: \`dist/petstore.js serve\` as \`npm start\` starts it, with its default settings, on a SQLite file.
- **floor**: \`test/bench/floor.ts\`, the least that gives the same answers on this machine: bare \`node:http\` and
  SQL prepared once through better-sqlite3, with the same file, pragmas and durability (WAL, \`synchronous=FULL\`), the same
  rows and the same checks for an order, and none of the service's other features. One transaction for each order.
- **open**: the service again, which asks nobody who they are. **guarded**: the same with \`PETSTORE_AUTH=api-key\` and its limits on,
  called with an API key that has the scopes it needs. With ${limits}
  every request is counted in two windows of time, as by default, and none is refused.
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}; the pets, categories
  and orders are scattered over the whole shop by a fixed seed, and every answer must be 2xx. Before the rounds, all
  servers are asked the same and must answer the same bytes; after them the service's own audit looks over all their files.
- **page**: \`GET /pets?limit=20\`, the first page and one near the end, reached by following \`next\` links; one connection, the service alone.

## How to read it

- **ratio** is service per second divided by floor per second, or guarded per second divided by open per second, each in the same
  round, and of these the median; 1 means that the features cost nothing. The aims are the project's own.
- Above 1 the service is faster than the floor: units of work that wait at the same time share one durable commit
  ([why](adr/0002-one-writer-group-commit.md)), while the floor waits for the disk once for each order.
- **CPU µs** is the server process's CPU time for one request. It does not depend on how fast the load asks.
- **load** is how much of one core the load process took, the larger of both sides; near 100 % the faster side was held up by it.
- The load process (autocannon) runs on the same ${machine.cores} cores as the server that it asks, so these are not the numbers of a
  server alone: at 1 connection client and server take turns, and the client's share of the time brings every ratio closer to 1.
  It took at most ${percent(mostOf('generator', shop))} of a core with ${whole(shop.pets)} pets.
- Ratios repeat better than figures do. Compare runs of one quiet machine only.
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
    `| disk | ${machine.sync.toFixed(2)} ms to write 4 KiB for good (\`fdatasync\`, median) |`,
    `| date | ${machine.date} |`,
    `| rounds | ${rounds} of ${seconds} s for each figure, all servers in turn; medians |`,
    ...(Number.isNaN(others) ? [] : [`| other programs | took up to ${percent(others)} of one core meanwhile |`]),
  ].join('\n');
}
