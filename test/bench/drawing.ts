import { type Comparison, serviceByFloor } from './comparison.ts';
import { type Report, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WIDTH = 760;
const LEFT = 130;
const LONGEST = 430;
const BAR = 15;
const PAIR = 2 * BAR + 14;
const TITLE = 40;

/** Bars of the service and the floor on the first shop of a report, as SVG; `floor` says what the floor is. */
export function drawing({ shop, machine }: Report, floor: string): string {
  const works = Object.keys(WORK) as Work[];
  let top = 78;
  const panels: string[] = [];
  for (const work of works) {
    const comparisons = serviceByFloor(shop).filter((each) => each.work === work);
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
<rect class="floor" x="100" y="44" width="12" height="12"/><text class="quiet" x="118" y="55">${escaped(floor)}</text>
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
