import { CONTESTANTS, type Contestant } from './contestants.ts';
import { describeMemory, type Measured, mostOf, percent, type Report, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';
import { markdown, tablesOf } from './tables.ts';

/** The page about SQLite. Every number in it is of the run. */
export function page(report: Report): string {
  const { machine, shop } = report;
  const contestants = [...(shop.rows[0]?.figures.keys() ?? [])];
  return `# Benchmark

\`npm run bench\` generates this page; run it to get the figures of your machine. No figure is entered by hand. The same on
PostgreSQL: [benchmark-postgresql.md](benchmark-postgresql.md).

![Requests per second of the service, Fastify and the floor](benchmark.svg)

${circumstances(report)}

${chapter(shop)}
${shop.memory.after ? `Memory of the service: ${describeMemory(shop.memory)}.\n` : ''}
## What was measured

${contestants.map(descriptionOf).join('\n')}
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}. In each round, a seed
  distributes the requests uniformly over the pets and categories of the whole store; every contestant gets the same ones. No contestant
  caches rendered responses, and every response must be 2xx.
- Before the rounds, the responses of all contestants are compared: the bodies of all, and of service and Fastify also the headers, the
  next page, conditional requests and refusals. A difference ends the run. After the rounds, the service's own audit checks every file.
- **page**: \`GET /pets?limit=20\`, the first page and one near the end, reached by following \`next\` links; one connection, only the service.

## How to read it

- **±** is half of the distance between the quartiles of the rounds. A **ratio** is computed for each round, in which both contestants had
  the machine at nearly the same time; its median and quartiles are shown. The targets are the project's own.
- **CPU** is the CPU time of all threads of the server process, divided by the requests of the round. Other programs on the machine change
  it less than the throughput.
- Where orders of the service are faster than those of the floor, units of work that wait at the same time share one durable commit
  ([why](adr/0002-one-writer-group-commit.md)), while the floor waits for the disk once per order.
- **load** is the share of one core that the load process (autocannon) used, the largest of all contestants; near 100 % it limited the
  faster ones. It runs on the same ${machine.cores} cores as the server, so these are not the figures of a server alone: at 1 connection,
  client and server alternate, and the client's share of the time brings every ratio closer to 1. It used at most
  ${percent(mostOf('generator', shop))} of a core.
- Ratios are more reproducible than absolute figures. Compare only runs on the same idle machine.

\`npm run bench -- --help\` shows how to choose contestants, operations and rounds, and how to compare with another revision.
`;
}

/** The tables of a shop. */
export function chapter(measured: Measured): string {
  const tables = tablesOf(measured).map(({ title, table }) => `### ${title}\n\n${markdown(table)}\n`);
  return `## ${whole(measured.pets)} pets\n\n${tables.join('\n')}`;
}

/** The circumstances of a run, as a table with further rows. */
export function circumstances(
  { machine, command, minutes, rounds, seconds, shop }: Report,
  more: readonly string[] = [],
): string {
  const others = mostOf('others', shop);
  return [
    '| | |',
    '|---|---|',
    `| machine | ${machine.cores} cores, ${machine.model}, ${(machine.memory / 2 ** 30).toFixed(0)} GiB |`,
    `| system | ${machine.system}, Node ${machine.node} |`,
    ...more,
    `| disk | ${machine.sync.toFixed(2)} ms for a durable write of 4 KiB (\`fdatasync\`, median) |`,
    `| command | \`${command}\`, ${minutes.toFixed(0)} min |`,
    `| date | ${machine.date} |`,
    `| rounds | ${rounds} of ${seconds} s for each figure, the contestants alternating; medians |`,
    ...(Number.isNaN(others) ? [] : [`| other programs | used up to ${percent(others)} of one core during the run |`]),
  ].join('\n');
}

function descriptionOf(name: Contestant): string {
  return `- **${name}**: ${CONTESTANTS[name].description}`;
}
