import { ratioOf } from './comparison.ts';
import type { Contestant } from './contestants.ts';
import { type Report, type Row, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WIDTH = 760;
const LEFT = 130;
const LONGEST = 380;
const BAR = 15;
const GAP = 14;
const TITLE = 40;

/** What is drawn, if it took part. */
const DRAWN: readonly Contestant[] = ['service', 'fastify', 'floor'];

/** Bars of requests per second, as SVG; `floor` states what the floor is. */
export function drawing({ shop, machine }: Report, floor: string): string {
  const drawn = DRAWN.filter((name) => shop.rows[0]?.figures.has(name));
  const labels: Partial<Record<Contestant, string>> = { fastify: 'Fastify 5, the same work', floor };
  let x = 20;
  const legend = drawn.map((name) => {
    const label = labels[name] ?? name;
    const entry = `<rect class="${name}" x="${x}" y="44" width="12" height="12"/><text class="quiet" x="${x + 18}" y="55">${escaped(label)}</text>`;
    x += 40 + 7 * label.length;
    return entry;
  });

  let top = 78;
  const panels: string[] = [];
  for (const work of Object.keys(WORK) as Work[]) {
    const rows = shop.rows.filter((row) => row.work === work);
    if (rows.length === 0) continue;
    panels.push(panel(WORK[work], rows, drawn, top));
    top += TITLE + rows.length * (drawn.length * (BAR + 2) + GAP) + 10;
  }
  const height = top + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Requests per second: ${drawn.join(', ')}</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d0d7de } .quiet { fill: #59636e } .head { font-weight: 600 }
  .service { fill: #0969da } .fastify { fill: #bf8700 } .floor { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .card { fill: #0d1117; stroke: #30363d } .quiet { fill: #9198a1 }
    .service { fill: #4493f8 } .fastify { fill: #d29922 } .floor { fill: #59636e }
  }
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="head" x="20" y="30">Requests per second, ${whole(shop.pets)} pets, by open connections</text>
<text class="quiet" x="${WIDTH - 20}" y="30" text-anchor="end">${escaped(`${machine.cores} × ${machine.model}, Node ${machine.node}, ${machine.date}`)}</text>
${legend.join('\n')}
${panels.join('\n')}
</svg>
`;
}

function panel(title: string, rows: readonly Row[], drawn: readonly Contestant[], top: number): string {
  const most = Math.max(...rows.flatMap(({ figures }) => drawn.map((name) => figures.get(name)?.perSecond ?? 0)));
  const groups = rows.map((row, i) => {
    const y = top + TITLE + i * (drawn.length * (BAR + 2) + GAP);
    const middle = y + (drawn.length * (BAR + 2)) / 2;
    const bars = drawn.map((name, place) => {
      const perSecond = row.figures.get(name)?.perSecond ?? 0;
      return bar(name, perSecond / most, y + place * (BAR + 2), labelOf(row, name, drawn));
    });
    return [
      `<text class="quiet" x="${LEFT - 10}" y="${middle + 4}" text-anchor="end">${row.connections}</text>`,
      ...bars,
    ].join('\n');
  });
  return [`<text class="head" x="20" y="${top + 24}">${escaped(title)}</text>`, ...groups].join('\n');
}

/** The service's bar states its ratios. */
function labelOf(row: Row, name: Contestant, drawn: readonly Contestant[]): string {
  const perSecond = whole(row.figures.get(name)?.perSecond ?? Number.NaN);
  if (name !== 'service') return perSecond;
  const ratios = drawn.slice(1).map((other) => {
    const ratio = ratioOf(row, ['service', other], (figures) => figures.perSecond)?.median ?? Number.NaN;
    return `${ratio.toFixed(2)} × ${other}`;
  });
  return `${perSecond} · ${ratios.join(', ')}`;
}

function bar(name: Contestant, share: number, y: number, label: string): string {
  const length = Math.max(1, Math.round(LONGEST * share));
  const text = name === 'service' ? '' : ' class="quiet"';
  return `<rect class="${name}" x="${LEFT}" y="${y}" width="${length}" height="${BAR}" rx="2"/><text${text} x="${LEFT + length + 8}" y="${y + 12}">${escaped(label)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
