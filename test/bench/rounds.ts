import type { Contest, Entrant } from './contest.ts';
import { type Figures, LoadProcess, type Task } from './load.ts';
import { memoryOf } from './process-figures.ts';
import { type DeepPage, type Measured, medians, type Row, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WARM_UP_SECONDS = 0.2;
/** Before the first round: so that what is compiled on the way is. */
const WORK_WARM_UP_SECONDS = 1.5;
const PAGE = 20;
const WALKED_PAGE = 100;

/** What is to be measured on a shop. */
export interface Plan {
  readonly works: readonly Work[];
  readonly connections: readonly number[];
  /** How many processes the service is on one shop in rounds of its own, with the most connections. */
  readonly crews?: readonly number[];
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

  async measure(contest: Contest, { works, connections, crews, pages }: Plan): Promise<Measured> {
    const { pets, store, service, entrants } = contest;
    const started = memoryOf(service.servers[0].pid);
    this.complaints.push(...(await contest.compare()));
    const rivals = new Map(entrants.map((entrant) => [entrant.who, entrant]));
    const rows = await this.#raceAll(contest, rivals, works, connections);
    const deepPage = pages ? await this.#turnPages(contest) : undefined;
    const memory = { started, after: memoryOf(service.servers[0].pid) };
    const crewRows = crews
      ? await this.#raceAll(contest, await contest.reinforce(crews), works, [Math.max(...connections)])
      : [];
    this.complaints.push(...(await contest.close()));
    return { store: store.name, pets, rows, crews: crewRows, deepPage, memory };
  }

  end(): void {
    this.#load.stop();
  }

  async #raceAll<Somebody>(
    contest: Contest,
    entrants: ReadonlyMap<Somebody, Entrant>,
    works: readonly Work[],
    connections: readonly number[],
  ): Promise<Row<Somebody>[]> {
    for (const entrant of entrants.values()) await this.#warmUp(contest, entrant);
    const rows: Row<Somebody>[] = [];
    for (const work of works) {
      for (const count of connections) rows.push(await this.#race(contest, entrants, work, count));
    }
    return rows;
  }

  /** All in turn; who begins changes from round to round. */
  async #race<Somebody>(
    contest: Contest,
    entrants: ReadonlyMap<Somebody, Entrant>,
    work: Work,
    connections: number,
  ): Promise<Row<Somebody>> {
    const rounds = Array.from(entrants, ([who, entrant]) => ({ who, entrant, figures: [] as Figures[] }));
    for (let round = 0; round < this.#rounds; round++) {
      const first = this.#begun++ % rounds.length;
      for (const { entrant, figures } of [...rounds.slice(first), ...rounds.slice(0, first)]) {
        figures.push(await this.#ask(contest, entrant, work, connections));
      }
    }
    const figures = new Map(rounds.map(({ who, figures }) => [who, medians(figures)]));
    const speeds = [...figures.values()].map(({ perSecond }) => whole(perSecond));
    console.log(`  ${work} at ${connections}: ${speeds.join(' / ')} per second`);
    const perRound = new Map(rounds.map(({ who, figures }) => [who, figures.map(({ perSecond }) => perSecond)]));
    return { work, connections, figures, perRound };
  }

  async #warmUp(contest: Contest, entrant: Entrant): Promise<void> {
    for (const work of Object.keys(WORK) as Work[]) await this.#ask(contest, entrant, work, 16, WORK_WARM_UP_SECONDS);
  }

  async #turnPages(contest: Contest): Promise<DeepPage> {
    const { pets, service } = contest;
    const first = `/pets?limit=${PAGE}`;
    const deep = await pageNearTheEnd(service.servers[0].url, pets);
    const figures: { first: Figures[]; deep: Figures[] } = { first: [], deep: [] };
    for (let round = 0; round < this.#rounds; round++) {
      figures.first.push(await this.#ask(contest, service, { path: first }, 1));
      figures.deep.push(await this.#ask(contest, service, { path: deep.path }, 1));
    }
    return { number: deep.number, first: medians(figures.first), deep: medians(figures.deep) };
  }

  async #ask(
    { pets, store }: Contest,
    { who, servers, headers }: Entrant,
    work: Task['work'],
    connections: number,
    seconds = this.#seconds,
  ): Promise<Figures> {
    const [urls, pids] = [servers.map(({ url }) => url), servers.map(({ pid }) => pid)];
    const times = { warmUp: WARM_UP_SECONDS, seconds };
    const figures = await this.#load.measure({
      ...{ urls, pids, database: store.pid },
      ...{ work, pets, connections, headers, ...times },
    });
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
