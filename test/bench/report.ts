import type { Figures } from './load.ts';
import type { Machine } from './machine.ts';
import type { Work } from './requests.ts';

/** One kind of work at one number of connections, measured on both. */
export interface Row {
  readonly work: Work;
  readonly connections: number;
  readonly service: Figures;
  readonly floor: Figures;
}

/** The first page of a list of all pets against one far behind it, one connection, the service alone. */
export interface DeepPage {
  readonly number: number;
  readonly first: Figures;
  readonly deep: Figures;
}

/** What was measured on a shop of one size. */
export interface Measured {
  readonly pets: number;
  readonly rows: readonly Row[];
  readonly deepPage: DeepPage;
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

/** The least ratio service / floor, by the number of connections. */
const AIMS: Readonly<Record<Work, Readonly<Record<number, number>>>> = {
  get: { 1: 0.6, 16: 0.6, 64: 0.6 },
  list: { 1: 0.7, 16: 0.7, 64: 0.7 },
  order: { 1: 0.7, 64: 3 },
};
const MEMORY_AIM = 150_000_000;

export function ratioOf({ service, floor }: Row): number {
  return service.perSecond / floor.perSecond;
}

export function aimOf({ work, connections }: Row): number | undefined {
  return AIMS[work][connections];
}

export function verdictOf(row: Row): '' | 'met' | 'short' {
  const aim = aimOf(row);
  return aim === undefined ? '' : ratioOf(row) >= aim ? 'met' : 'short';
}

/** The median of each figure, and all failures. */
export function medians(rounds: readonly Figures[]): Figures {
  const of = (figure: (round: Figures) => number) => median(rounds.map(figure));
  return {
    perSecond: of((round) => round.perSecond),
    p50: of((round) => round.p50),
    p99: of((round) => round.p99),
    cpu: of((round) => round.cpu),
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

const HEAD = [
  '',
  'conn.',
  'service /s',
  'floor /s',
  'ratio',
  'aim',
  '',
  'p50 ms',
  'p99 ms',
  'floor p50',
  'floor p99',
  'CPU µs',
  'floor CPU',
  'load',
];

/** The table of one shop: a head and its rows, as text. */
export function tableOf(rows: readonly Row[]): string[][] {
  return [
    HEAD,
    ...rows.map((row) => [
      row.work,
      String(row.connections),
      whole(row.service.perSecond),
      whole(row.floor.perSecond),
      ratioOf(row).toFixed(2),
      aimOf(row)?.toFixed(1) ?? '',
      verdictOf(row),
      row.service.p50.toFixed(2),
      row.service.p99.toFixed(2),
      row.floor.p50.toFixed(2),
      row.floor.p99.toFixed(2),
      whole(row.service.cpu),
      whole(row.floor.cpu),
      percent(mostOf('generator', [row])),
    ]),
  ];
}

export function tableOfPages({ deepPage }: Measured): string[][] {
  return [
    ['page', 'service /s', 'p50 ms', 'p99 ms', 'CPU µs'],
    ...(
      [
        [1, deepPage.first],
        [deepPage.number, deepPage.deep],
      ] as const
    ).map(([page, figures]) => [
      whole(page),
      whole(figures.perSecond),
      figures.p50.toFixed(2),
      figures.p99.toFixed(2),
      whole(figures.cpu),
    ]),
  ];
}

/** For a terminal: the first column to the left, figures to the right. */
export function aligned(table: readonly (readonly string[])[]): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}

/** The most that a figure was in any row, on either side. */
export function mostOf(figure: 'generator' | 'others', rows: readonly Row[]): number {
  return Math.max(...rows.flatMap(({ service, floor }) => [service[figure], floor[figure]]));
}

export function memoryVerdict({ started, after }: Memory): string {
  const verdict = after < MEMORY_AIM ? 'met' : 'short';
  return `${megabytes(started)} when it had started, ${megabytes(after)} after all rounds (resident; aim: under ${megabytes(MEMORY_AIM)}, ${verdict})`;
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
