import { type Figures, LoadProcess, type Task } from './load.ts';
import type { Pair } from './pair.ts';
import { memoryOf } from './process-figures.ts';
import { type DeepPage, type Measured, medians, type Row, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WARM_UP_SECONDS = 0.5;
const PAGE = 20;
const WALKED_PAGE = 100;

/** Measures pairs in rounds, one server under load at a time, and keeps what went wrong. */
export class Rounds {
  readonly complaints: string[] = [];
  readonly #load = new LoadProcess();
  readonly #rounds: number;
  readonly #seconds: number;

  constructor(rounds: number, seconds: number) {
    this.#rounds = rounds;
    this.#seconds = seconds;
  }

  async measure(pair: Pair, works: readonly Work[], connections: readonly number[]): Promise<Measured> {
    const started = memoryOf(pair.service.pid);
    this.complaints.push(...(await pair.compare()));
    await this.#warmUp(pair);
    const rows: Row[] = [];
    for (const work of works) {
      for (const count of connections) rows.push(await this.#race(pair, work, count));
    }
    const deepPage = await this.#turnPages(pair);
    const memory = { started, after: memoryOf(pair.service.pid) };
    this.complaints.push(...(await pair.close()));
    return { pets: pair.pets, rows, deepPage, memory };
  }

  end(): void {
    this.#load.stop();
  }

  /** Service and floor in turn; who begins changes from round to round. */
  async #race(pair: Pair, work: Work, connections: number): Promise<Row> {
    const figures: { service: Figures[]; floor: Figures[] } = { service: [], floor: [] };
    for (let round = 0; round < this.#rounds; round++) {
      const order = round % 2 === 0 ? (['service', 'floor'] as const) : (['floor', 'service'] as const);
      for (const who of order) figures[who].push(await this.#ask(pair, who, work, connections));
    }
    const row = { work, connections, service: medians(figures.service), floor: medians(figures.floor) };
    console.log(
      `  ${work} at ${connections}: ${whole(row.service.perSecond)} / ${whole(row.floor.perSecond)} per second`,
    );
    return row;
  }

  async #warmUp(pair: Pair): Promise<void> {
    for (const who of ['service', 'floor'] as const) {
      for (const work of Object.keys(WORK) as Work[]) await this.#ask(pair, who, work, 16);
    }
  }

  async #turnPages(pair: Pair): Promise<DeepPage> {
    const first = `/pets?limit=${PAGE}`;
    const deep = await pageNearTheEnd(pair);
    const figures: { first: Figures[]; deep: Figures[] } = { first: [], deep: [] };
    for (let round = 0; round < this.#rounds; round++) {
      figures.first.push(await this.#ask(pair, 'service', { path: first }, 1));
      figures.deep.push(await this.#ask(pair, 'service', { path: deep.path }, 1));
    }
    return { number: deep.number, first: medians(figures.first), deep: medians(figures.deep) };
  }

  async #ask(pair: Pair, who: 'service' | 'floor', work: Task['work'], connections: number): Promise<Figures> {
    const { url, pid } = pair[who];
    const times = { warmUp: WARM_UP_SECONDS, seconds: this.#seconds };
    const figures = await this.#load.measure({ url, pid, work, pets: pair.pets, connections, ...times });
    if (figures.failed > 0) {
      const what = typeof work === 'string' ? work : work.path;
      this.complaints.push(`The ${who} failed ${figures.failed} requests: ${what} at ${connections} connections.`);
    }
    return figures;
  }
}

/** Walks along the `next` links, a hundred pets at a time, as far as the last pages of a list of all pets. */
async function pageNearTheEnd({ service, pets }: Pair): Promise<{ path: string; number: number }> {
  const steps = pets / WALKED_PAGE - 2;
  let url = new URL(`/pets?limit=${WALKED_PAGE}`, service.url);
  for (let step = 0; step < steps; step++) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    const next = /<([^>]*)>;\s*rel="?next"?/.exec(answer.headers.get('link') ?? '')?.[1];
    if (!next) throw new Error(`The list of pets ended after ${step} pages of ${WALKED_PAGE}.`);
    url = new URL(next, url);
  }
  url.searchParams.set('limit', String(PAGE));
  return { path: url.pathname + url.search, number: (steps * WALKED_PAGE) / PAGE + 1 };
}
