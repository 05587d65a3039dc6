import type { Rival } from './contest.ts';
import type { Figures } from './load.ts';
import type { Measured, Row } from './report.ts';
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
    return compared(row, 'floor', (service, floor) => ({ ratio: service / floor, aim }));
  });
}

/** What the service does with credentials and limits of what it does without. */
export function guardedByOpen({ rows }: Measured): Comparison[] {
  return rows.flatMap((row) =>
    compared(row, 'guarded', (open, guarded) => ({ ratio: guarded / open, aim: GUARDED_AIM })),
  );
}

/** One comparison, or none if the rival did not take part. */
function compared(
  { work, connections, figures }: Row,
  rival: Rival,
  judge: (service: number, rival: number) => Pick<Comparison, 'ratio' | 'aim'>,
): Comparison[] {
  const [service, other] = [figures.get('service'), figures.get(rival)];
  if (!service || !other) return [];
  return [{ work, connections, sides: [service, other], ...judge(service.perSecond, other.perSecond) }];
}

export function verdictOf({ ratio, aim }: Comparison): '' | 'met' | 'short' {
  return aim === undefined ? '' : ratio >= aim ? 'met' : 'short';
}
