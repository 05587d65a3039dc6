import type { Rival } from './contest.ts';
import type { Figures } from './load.ts';
import { type Measured, median, type Row } from './report.ts';
import type { Work } from './requests.ts';
import type { Store } from './store.ts';

/** Two who did one kind of work at one number of connections in the same rounds. */
export interface Comparison {
  readonly work: Work;
  readonly connections: number;
  /** The service, and whom it is compared with: in this order they are shown. */
  readonly sides: readonly [Figures, Figures];
  readonly ratio: number;
  /** The least ratio that is wanted. */
  readonly aim: number | undefined;
}

type Aims = Readonly<Record<Work, Readonly<Record<number, number>>>>;

/** The least ratio service / floor, by the number of connections. */
const AIMS: Readonly<Record<Store['name'], Aims>> = {
  sqlite: {
    get: { 1: 0.6, 16: 0.6, 64: 0.6 },
    list: { 1: 0.7, 16: 0.7, 64: 0.7 },
    order: { 1: 0.7, 64: 3 },
  },
  postgresql: {
    get: { 1: 0.6, 16: 0.6, 64: 0.6 },
    list: { 1: 0.6, 16: 0.6, 64: 0.6 },
    order: { 1: 0.6, 16: 0.6, 64: 0.6 },
  },
};
/** The least ratio guarded / open. */
const GUARDED_AIM = 0.9;

/** What the service does of what the floor does. */
export function serviceByFloor({ store, rows }: Measured): Comparison[] {
  return rows.flatMap((row) => {
    const aim = AIMS[store][row.work][row.connections];
    return compared(row, 'floor', aim);
  });
}

/** What the service does with credentials and limits of what it does without. */
export function guardedByOpen({ rows }: Measured): Comparison[] {
  return rows.flatMap((row) => compared(row, 'guarded', GUARDED_AIM));
}

/** One comparison, or none if the rival did not take part. */
function compared({ work, connections, figures, perRound }: Row, rival: Rival, aim: number | undefined): Comparison[] {
  const [service, other] = [figures.get('service'), figures.get(rival)];
  if (!service || !other) return [];
  const rounds = [perRound.get('service') ?? [], perRound.get(rival) ?? []] as const;
  const [above, below] = rival === 'floor' ? rounds : [rounds[1], rounds[0]];
  return [{ work, connections, sides: [service, other], ratio: medianRatio(above, below), aim }];
}

/** Of those of the rounds, in which both had the machine at nearly the same time. */
function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((speed, round) => speed / (below[round] ?? Number.NaN)));
}

export function verdictOf({ ratio, aim }: Comparison): '' | 'met' | 'missed' {
  return aim === undefined ? '' : ratio >= aim ? 'met' : 'missed';
}
