import type { Contest, Entrant } from './contest.ts';
import { type Figures, LoadProcess, type Task } from './load.ts';
import { memoryOf } from './process-figures.ts';
import { type DeepPage, type Measured, medians, type Row, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WARM_UP_SECONDS = 0.4;
const PAGE = 20;
const WALKED_PAGE = 100;

/** What is to be measured on a shop. */
export interface Plan {
  readonly works: readonly Work[];
  readonly connections: readonly number[];
  /** Whether the pages of a long list are compared. */
  readonly pages: boolean;
}

/** Measures contests in rounds, one server under load at a time, and keeps what went wrong. */
export class Rounds {
  readonly complaints: string[] = [];
  readonly #load = new LoadProcess();
  readonly #rounds: number;
  readonly #seconds: number;
  #begun = 0;

  constructor(rounds: number, seconds: number) {
    this.#rounds = rounds;
    this.#seconds = seconds;
  }

  async measure(contest: Contest, { works, connections, pages }: Plan): Promise<Measured> {
    const { pets, service } = contest;
    const started = memoryOf(service.server.pid);
    this.complaints.push(...(await contest.compare()));
    await this.#warmUp(contest);
    const rows: Row[] = [];
    for (const work of works) {
      for (const count of connections) rows.push(await this.#race(contest, work, count));
    }
    const deepPage = pages ? await this.#turnPages(contest) : undefined;
    const memory = { started, after: memoryOf(service.server.pid) };
    this.complaints.push(...(await contest.close()));
    return { pets, rows, deepPage, memory };
  }

  end(): void {
    this.#load.stop();
  }

  /** All in turn; who begins changes from round to round. */
  async #race({ pets, entrants }: Contest, work: Work, connections: number): Promise<Row> {
    const rounds = entrants.map((entrant) => ({ entrant, figures: [] as Figures[] }));
    for (let round = 0; round < this.#rounds; round++) {
      const first = this.#begun++ % rounds.length;
      for (const { entrant, figures } of [...rounds.slice(first), ...rounds.slice(0, first)]) {
        figures.push(await this.#ask(entrant, pets, work, connections));
      }
    }
    const figures = new Map(rounds.map(({ entrant, figures }) => [entrant.who, medians(figures)]));
    const speeds = [...figures.values()].map(({ perSecond }) => whole(perSecond));
    console.log(`  ${work} at ${connections}: ${speeds.join(' / ')} per second`);
    return { work, connections, figures };
  }

  async #warmUp({ pets, entrants }: Contest): Promise<void> {
    for (const entrant of entrants) {
      for (const work of Object.keys(WORK) as Work[]) await this.#ask(entrant, pets, work, 16, this.#seconds / 2);
    }
  }

  async #turnPages({ pets, service }: Contest): Promise<DeepPage> {
    const first = `/pets?limit=${PAGE}`;
    const deep = await pageNearTheEnd(service.server.url, pets);
    const figures: { first: Figures[]; deep: Figures[] } = { first: [], deep: [] };
    for (let round = 0; round < this.#rounds; round++) {
      figures.first.push(await this.#ask(service, pets, { path: first }, 1));
      figures.deep.push(await this.#ask(service, pets, { path: deep.path }, 1));
    }
    return { number: deep.number, first: medians(figures.first), deep: medians(figures.deep) };
  }

  async #ask(
    { who, server, headers }: Entrant,
    pets: number,
    work: Task['work'],
    connections: number,
    seconds = this.#seconds,
  ): Promise<Figures> {
    const { url, pid } = server;
    const times = { warmUp: WARM_UP_SECONDS, seconds };
    const figures = await this.#load.measure({ url, pid, work, pets, connections, headers, ...times });
    if (figures.failed > 0) {
      const what = typeof work === 'string' ? work : work.path;
      this.complaints.push(`The ${who} failed ${figures.failed} requests: ${what} at ${connections} connections.`);
    }
    return figures;
  }
}

/** Walks along the `next` links, a hundred pets at a time, as far as the last pages of a list of all pets. */
async function pageNearTheEnd(address: string, pets: number): Promise<{ path: string; number: number }> {
  const steps = pets / WALKED_PAGE - 2;
  let url = new URL(`/pets?limit=${WALKED_PAGE}`, address);
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
