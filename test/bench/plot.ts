import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Comparison, serviceByFloor } from './comparison.ts';
import { LIMITS } from './contest.ts';
import { type Measured, memoryVerdict, mostOf, percent, type Report, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';
import { markdown, tablesOf } from './tables.ts';

/** Writes benchmark.svg and benchmark.md. Every number in them is of the run. */
export async function plot(report: Report, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'benchmark.svg'), drawing(report));
  await writeFile(join(folder, 'benchmark.md'), page(report));
}

const WIDTH = 760;
const LEFT = 130;
const LONGEST = 430;
const BAR = 15;
const PAIR = 2 * BAR + 14;
const TITLE = 40;

function drawing({ shop, machine }: Report): string {
  const works = Object.keys(WORK) as Work[];
  let top = 78;
  const panels: string[] = [];
  for (const work of works) {
    const comparisons = serviceByFloor(shop.rows).filter((each) => each.work === work);
    panels.push(panel(WORK[work], comparisons, top));
    top += TITLE + comparisons.length * PAIR + 10;
  }
  const height = top + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Requests per second of the service and of the floor</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d0d7de } .quiet { fill: #59636e } .head { font-weight: 600 }
  .service { fill: #0969da } .floor { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .card { fill: #0d1117; stroke: #30363d } .quiet { fill: #9198a1 }
    .service { fill: #4493f8 } .floor { fill: #59636e }
  }
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="head" x="20" y="30">Requests per second, ${whole(shop.pets)} pets, by open connections</text>
<rect class="service" x="20" y="44" width="12" height="12"/><text class="quiet" x="38" y="55">service</text>
<rect class="floor" x="100" y="44" width="12" height="12"/><text class="quiet" x="118" y="55">floor: bare node:http and prepared SQL</text>
<text class="quiet" x="${WIDTH - 20}" y="55" text-anchor="end">${escaped(`${machine.cores} × ${machine.model}, Node ${machine.node}, ${machine.date}`)}</text>
${panels.join('\n')}
</svg>
`;
}

function panel(title: string, comparisons: readonly Comparison[], top: number): string {
  const most = Math.max(...comparisons.flatMap(({ sides }) => sides.map(({ perSecond }) => perSecond)));
  const bars = comparisons.map(({ connections, sides: [service, floor], ratio, aim }, i) => {
    const y = top + TITLE + i * PAIR;
    const verdict = `ratio ${ratio.toFixed(2)}${aim === undefined ? '' : `, aim ${aim.toFixed(1)}`}`;
    return [
      `<text class="quiet" x="${LEFT - 10}" y="${y + BAR + 4}" text-anchor="end">${connections}</text>`,
      bar('service', service.perSecond / most, y, `${whole(service.perSecond)} · ${verdict}`),
      bar('floor', floor.perSecond / most, y + BAR + 2, whole(floor.perSecond)),
    ].join('\n');
  });
  return [`<text class="head" x="20" y="${top + 24}">${escaped(title)}</text>`, ...bars].join('\n');
}

function bar(who: 'service' | 'floor', share: number, y: number, label: string): string {
  const length = Math.max(1, Math.round(LONGEST * share));
  const text = who === 'floor' ? ' class="quiet"' : '';
  return `<rect class="${who}" x="${LEFT}" y="${y}" width="${length}" height="${BAR}" rx="2"/><text${text} x="${LEFT + length + 8}" y="${y + 12}">${escaped(label)}</text>`;
}

function page(report: Report): string {
  const { machine, rounds, seconds, shop, large } = report;
  const limits = Object.entries(LIMITS)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' and ');
  const shops = large ? [shop, large] : [shop];
  const others = Number.isNaN(mostOf('others', shop.rows)) ? '' : percent(mostOf('others', shop.rows));
  return `# Benchmark

Written by \`npm run bench\`; run it to get the numbers of your machine. Nothing on this page is typed by hand.

![Requests per second of the service and of the floor](benchmark.svg)

| | |
|---|---|
| machine | ${machine.cores} cores, ${machine.model}, ${(machine.memory / 2 ** 30).toFixed(0)} GiB |
| system | ${machine.system}, Node ${machine.node} |
| disk | ${machine.sync.toFixed(2)} ms to write 4 KiB for good (\`fdatasync\`, median) |
| date | ${machine.date} |
| rounds | ${rounds} of ${seconds} s for each figure, all servers in turn; medians |${others ? `\n| other programs | took up to ${others} of one core meanwhile |` : ''}

${shops.map(chapter).join('\n')}
${shops.map(({ pets, memory }) => (memory.after ? `- Memory of the service with ${whole(pets)} pets: ${memoryVerdict(memory)}\n` : '')).join('')}
## What was measured

- **service**: \`dist/petstore.js serve\` as anybody starts it, with its default settings, on a SQLite file.
- **floor**: [floor.ts](../test/bench/floor.ts), the least that gives the same answers on this machine: bare \`node:http\` and
  SQL prepared once through better-sqlite3, with the same file, pragmas and durability (WAL, \`synchronous=FULL\`), the same
  rows and the same checks for an order, and none of the service's other features. One transaction for each order.
- **open**: the service again, which asks nobody who they are. **guarded**: the same with \`PETSTORE_AUTH=api-key\` and its limits on,
  called with an API key that has the scopes it needs. With ${limits}
  every request is counted and none refused, in one window of time; with the default settings there are two.
- ${(Object.entries(WORK) as [Work, string][]).map(([work, what]) => `**${work}**: \`${what}\``).join('; ')}; the pets, categories
  and orders are scattered over the whole shop by a fixed seed, and every answer must be 2xx. Before the rounds, all
  servers are asked the same and must answer the same bytes; after them the service's own audit looks over all their files.
- **page**: \`GET /pets?limit=20\`, the first page and one near the end, reached by following \`next\` links; one connection, the service alone.

## How to read it

- **ratio** is service per second divided by floor per second, or guarded per second divided by open per second; 1 means that the
  features cost nothing. The aims are the project's own.
- Above 1 the service is faster than the floor: units of work that wait at the same time share one durable commit
  ([why](adr/0002-one-writer-group-commit.md)), while the floor waits for the disk once for each order.
- **CPU µs** is the server process's CPU time for one request. It does not depend on how fast the load asks.
- **load** is how much of one core the load process took, the larger of both sides; near 100 % the faster side was held up by it.
- The load process (autocannon) runs on the same ${machine.cores} cores as the server that it asks, so these are not the numbers of a
  server alone: at 1 connection client and server take turns, and the client's share of the time brings every ratio closer to 1.
  It took at most ${percent(mostOf('generator', shop.rows))} of a core with ${whole(shop.pets)} pets.
- Ratios repeat better than figures do. Compare runs of one quiet machine only.
`;
}

/** A shop's part of the page. */
function chapter(measured: Measured): string {
  const tables = tablesOf(measured).map(
    ({ title, table }) => `${title === undefined ? '' : `### ${title}\n\n`}${markdown(table)}\n`,
  );
  return `## ${whole(measured.pets)} pets\n\n${tables.join('\n')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
