import type { Who } from './contest.ts';
import type { Figures } from './load.ts';
import type { Machine } from './machine.ts';
import type { Work } from './requests.ts';
import type { Store } from './store.ts';

/** One kind of work at one number of connections, measured on everybody in the same rounds. */
export interface Row<Somebody = Who> {
  readonly work: Work;
  readonly connections: number;
  readonly figures: ReadonlyMap<Somebody, Figures>;
  /** Requests per second in each round. */
  readonly perRound: ReadonlyMap<Somebody, readonly number[]>;
}

/** The first page of a list of all pets against one far behind it, one connection, the service alone. */
export interface DeepPage {
  readonly number: number;
  readonly first: Figures;
  readonly deep: Figures;
}

/** What was measured on a shop of one size. */
export interface Measured {
  readonly store: Store['name'];
  readonly pets: number;
  readonly rows: readonly Row[];
  /** The service alone, by how many processes it was on one shop. */
  readonly crews: readonly Row<number>[];
  readonly deepPage: DeepPage | undefined;
  readonly memory: Memory;
}

/** Bytes that the service held when it had started and when all rounds were over; NaN where the system does not tell. */
export interface Memory {
  readonly started: number;
  readonly after: number;
}

export interface Report {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly shop: Measured;
  readonly large?: Measured | undefined;
}

const MEMORY_AIM = 150_000_000;

/** The median of each figure, and all failures. */
export function medians(rounds: readonly Figures[]): Figures {
  const of = (figure: (round: Figures) => number) => median(rounds.map(figure));
  return {
    perSecond: of((round) => round.perSecond),
    p50: of((round) => round.p50),
    p99: of((round) => round.p99),
    cpu: of((round) => round.cpu),
    database: of((round) => round.database),
    generator: of((round) => round.generator),
    others: of((round) => round.others),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The most that a figure was in any row, with anybody. */
export function mostOf(figure: 'generator' | 'others', { rows, crews }: Measured): number {
  return Math.max(...[...rows, ...crews].flatMap(({ figures }) => [...figures.values()].map((each) => each[figure])));
}

/** How many cores everybody together kept busy meanwhile. */
export function busyCores({ perSecond, cpu, database, generator, others }: Figures): number {
  return (perSecond * (cpu + (database || 0))) / 1_000_000 + generator + others;
}

export function memoryVerdict({ started, after }: Memory): string {
  const verdict = after < MEMORY_AIM ? 'met' : 'missed';
  return `${megabytes(started)} after the start, ${megabytes(after)} after all rounds (resident; aim: under ${megabytes(MEMORY_AIM)}, ${verdict})`;
}

/** A figure that the system did not tell is left out. */
export function whole(value: number): string {
  return Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en-GB');
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
