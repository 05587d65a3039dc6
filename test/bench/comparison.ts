import type { Contestant } from './contestants.ts';
import type { Figures } from './load.ts';
import { type Measured, type Row, type Spread, spreadOf } from './report.ts';
import type { Work } from './requests.ts';
import type { Store } from './store.ts';

type Limits = Readonly<Partial<Record<Work, number | Readonly<Record<number, number>>>>>;

/** Two contestants, and what the first must reach of the second: one limit for an operation, or one for each number of connections. */
interface Pair {
  readonly first: Contestant;
  readonly second: Contestant;
  /** The least ratio of requests per second. */
  readonly throughput?: Limits;
  /** The largest ratio of CPU time per request. */
  readonly cpu?: Limits;
}

const PAIRS: Readonly<Record<Store['name'], readonly Pair[]>> = {
  sqlite: [
    {
      first: 'service',
      second: 'fastify',
      throughput: { get: 0.9, list: 0.9 },
      cpu: { get: 1.1, list: 1.1 },
    },
    { first: 'service', second: 'floor', throughput: { order: { 1: 0.9, 16: 3, 64: 3.5 } } },
    { first: 'guarded', second: 'service', throughput: { get: 0.9, list: 0.9, order: 0.9 } },
    {
      first: 'service',
      second: 'before',
      throughput: { get: 0.95, list: 0.95, order: 0.95 },
      cpu: { get: 1.05, list: 1.05, order: 1.05 },
    },
  ],
  postgresql: [
    { first: 'service', second: 'floor', throughput: { get: 0.6, list: 0.6, order: 0.6 } },
    // What group commit must bring, compared with the last revision without it.
    {
      first: 'service',
      second: 'before',
      throughput: { order: { 1: 0.95, 64: 1.8, 256: 1.8 }, hot: { 1: 0.95, 64: 12, 256: 12 } },
    },
  ],
};

/** A ratio of two contestants in the same rounds, against its limit. */
export interface Comparison {
  readonly first: Contestant;
  readonly second: Contestant;
  readonly figure: 'throughput' | 'cpu';
  readonly work: Work;
  readonly connections: number;
  readonly ratio: Spread;
  readonly limit: number;
  readonly met: boolean;
}

/** Every ratio that has a limit, of the contestants that took part. */
export function comparisonsOf({ store, rows }: Measured): Comparison[] {
  return PAIRS[store].flatMap((pair) =>
    (['throughput', 'cpu'] as const).flatMap((figure) => rows.flatMap((row) => compared(pair, figure, row))),
  );
}

/** The ratio of two contestants, round by round: the machine was nearly the same for both. */
export function ratioOf(
  { rounds }: Row,
  [first, second]: readonly [Contestant, Contestant],
  figure: (figures: Figures) => number,
): Spread | undefined {
  const [above, below] = [rounds.get(first), rounds.get(second)];
  if (!above || !below) return undefined;
  return spreadOf(above.map((each, round) => figure(each) / figure(below[round] as Figures)));
}

function compared({ first, second, ...limits }: Pair, figure: 'throughput' | 'cpu', row: Row): Comparison[] {
  const { work, connections } = row;
  const given = limits[figure]?.[work];
  const limit = typeof given === 'object' ? given[connections] : given;
  const ratio = ratioOf(row, [first, second], ({ perSecond, cpu }) => (figure === 'cpu' ? cpu : perSecond));
  if (limit === undefined || !ratio || Number.isNaN(ratio.median)) return [];
  const met = figure === 'cpu' ? ratio.median <= limit : ratio.median >= limit;
  return [{ first, second, figure, work, connections, ratio, limit, met }];
}
