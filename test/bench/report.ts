import type { Contestant } from './contestants.ts';
import type { Figures } from './load.ts';
import type { Machine } from './machine.ts';
import type { Work } from './requests.ts';
import type { Store } from './store.ts';

/** One operation at one number of connections, measured on all contestants in the same rounds. */
export interface Row<Name = Contestant> {
  readonly work: Work;
  readonly connections: number;
  /** The medians of the rounds. */
  readonly figures: ReadonlyMap<Name, Figures>;
  readonly rounds: ReadonlyMap<Name, readonly Figures[]>;
}

/** The first page of a list of all pets against one near its end: one connection, the service alone. */
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
  /** The service alone, by the number of its processes on one shop. */
  readonly crews: readonly Row<number>[];
  readonly deepPage: DeepPage | undefined;
  readonly memory: Memory;
}

/** The resident memory of the service in bytes, after its start and after all rounds; NaN where the system does not report it. */
export interface Memory {
  readonly started: number;
  readonly after: number;
}

export interface Report {
  readonly machine: Machine;
  /** The arguments of the run. */
  readonly command: string;
  readonly minutes: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly shop: Measured;
}

/** A median, and the quartiles around it. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median of each figure, and the sum of all failures. */
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
  return spreadOf(values).median;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = (sorted.length - 1) * share;
    const [below = Number.NaN, above = below] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return below + (above - below) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** The largest value of a figure in any row, of any contestant. */
export function mostOf(figure: 'generator' | 'others', { rows, crews }: Measured): number {
  return Math.max(...[...rows, ...crews].flatMap(({ figures }) => [...figures.values()].map((each) => each[figure])));
}

/** The number of cores that all processes together kept busy. */
export function busyCores({ perSecond, cpu, database, generator, others }: Figures): number {
  return (perSecond * (cpu + (database || 0))) / 1_000_000 + generator + others;
}

export function describeMemory({ started, after }: Memory): string {
  return `${megabytes(started)} after the start, ${megabytes(after)} after all rounds (resident)`;
}

/** Empty for a figure that the system does not report. */
export function whole(value: number): string {
  return Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en-GB');
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
