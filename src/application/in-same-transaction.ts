import type { UnitOfWork, WriteScope } from './ports/unit-of-work.ts';

/**
 * Lets several desks work as one: what they write goes into a unit of work that is open already, and is kept or undone
 * with it as a whole. It undoes nothing by itself, so what a desk throws must not be caught before that unit ends.
 */
export function inSameTransaction(scope: WriteScope): UnitOfWork {
  return { write: (work) => work(scope) };
}
