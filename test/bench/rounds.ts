import type { Contest, Entrant } from './contest.ts';
import { type Figures, LoadProcess, type Task } from './load.ts';
import { memoryOf } from './process-figures.ts';
import { type DeepPage, type Measured, medians, type Row, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';

const WARM_UP_SECONDS = 0.2;
/** Before the first round, so that hot code is compiled. */
const WORK_WARM_UP_SECONDS = 1.5;
const PAGE = 20;
const WALKED_PAGE = 100;

/** What is measured on a shop. */
export interface Plan {
  readonly works: readonly Work[];
  readonly connections: readonly number[];
  /** Numbers of processes of the service on one shop, in rounds of their own, with the most connections. */
  readonly crews?: readonly number[];
  /** Whether the pages of a long list are compared. */
  readonly pages: boolean;
}

/** Measures contests in rounds, one server under load at a time, and collects what goes wrong. */
export class Rounds {
  readonly complaints: string[] = [];
  readonly #load = new LoadProcess();
  readonly #rounds: number;
  readonly #seconds: number;
  #turns = 0;

  constructor(rounds: number, seconds: number) {
    this.#rounds = rounds;
    this.#seconds = seconds;
  }

  /** Measures nothing if the responses of the contestants differ. */
  async measure(contest: Contest, { works, connections, crews, pages }: Plan): Promise<Measured> {
    const { pets, store, service, entrants } = contest;
    const started = memoryOf(service.servers[0].pid);
    this.complaints.push(...(await contest.compare()));
    if (this.complaints.length > 0) throw new Error(this.complaints.join('\n'));
    const contestants = new Map(entrants.map((entrant) => [entrant.name, entrant]));
    const rows = await this.#raceAll(contest, contestants, works, connections);
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

  async #raceAll<Name>(
    contest: Contest,
    entrants: ReadonlyMap<Name, Entrant>,
    works: readonly Work[],
    connections: readonly number[],
  ): Promise<Row<Name>[]> {
    for (const entrant of entrants.values()) await this.#warmUp(contest, entrant);
    const rows: Row<Name>[] = [];
    for (const work of works) {
      for (const count of connections) rows.push(await this.#race(contest, entrants, work, count));
    }
    return rows;
  }

  /** All in turn; the first one changes from round to round. */
  async #race<Name>(
    contest: Contest,
    entrants: ReadonlyMap<Name, Entrant>,
    work: Work,
    connections: number,
  ): Promise<Row<Name>> {
    const all = Array.from(entrants, ([name, entrant]) => ({ name, entrant, figures: [] as Figures[] }));
    for (let round = 0; round < this.#rounds; round++) {
      const first = this.#turns++ % all.length;
      for (const { entrant, figures } of [...all.slice(first), ...all.slice(0, first)]) {
        figures.push(await this.#ask(contest, entrant, { work, connections, round }));
      }
    }
    const figures = new Map(all.map((each) => [each.name, medians(each.figures)]));
    const shown = Array.from(
      figures,
      ([name, { perSecond, cpu }]) => `${name} ${whole(perSecond)}/s ${cpu.toFixed(1)} µs`,
    );
    console.log(`  ${work} at ${connections}: ${shown.join(', ')}`);
    return { work, connections, figures, rounds: new Map(all.map((each) => [each.name, each.figures])) };
  }

  async #warmUp(contest: Contest, entrant: Entrant): Promise<void> {
    for (const work of Object.keys(WORK) as Work[]) {
      await this.#ask(contest, entrant, { work, connections: 16, round: -1, seconds: WORK_WARM_UP_SECONDS });
    }
  }

  async #turnPages(contest: Contest): Promise<DeepPage> {
    const { pets, service } = contest;
    const first = `/pets?limit=${PAGE}`;
    const deep = await pageNearTheEnd(service.servers[0].url, pets);
    const figures: { first: Figures[]; deep: Figures[] } = { first: [], deep: [] };
    for (let round = 0; round < this.#rounds; round++) {
      figures.first.push(await this.#ask(contest, service, { work: { path: first }, connections: 1, round }));
      figures.deep.push(await this.#ask(contest, service, { work: { path: deep.path }, connections: 1, round }));
    }
    return { number: deep.number, first: medians(figures.first), deep: medians(figures.deep) };
  }

  async #ask(
    { pets, store }: Contest,
    { name, servers, headers }: Entrant,
    task: Pick<Task, 'work' | 'connections' | 'round'> & { readonly seconds?: number },
  ): Promise<Figures> {
    const [urls, pids] = [servers.map(({ url }) => url), servers.map(({ pid }) => pid)];
    const figures = await this.#load.measure({
      ...{ urls, pids, database: store.pid, pets, headers },
      ...{ warmUp: WARM_UP_SECONDS, seconds: this.#seconds, ...task },
    });
    if (figures.failed > 0) {
      const what = typeof task.work === 'string' ? task.work : task.work.path;
      this.complaints.push(`${name} failed ${figures.failed} requests: ${what} at ${task.connections} connections.`);
    }
    return figures;
  }
}

/** Follows the `next` links, a hundred pets at a time, to the last pages of a list of all pets. */
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
