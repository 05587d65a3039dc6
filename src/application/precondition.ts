import { PreconditionFailed } from '../domain/refusals.ts';

/**
 * What a caller expects to find before it changes something: looks at the thing as it stands inside the unit of work,
 * and says whether that is what the caller saw.
 */
export type Precondition<View> = (current: View) => boolean;

/** @throws {PreconditionFailed} */
export function assertHolds<View>(precondition: Precondition<View> | undefined, current: View): void {
  if (precondition && !precondition(current)) throw new PreconditionFailed();
}
