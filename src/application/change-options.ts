import { PreconditionFailed } from '../domain/refusals.ts';
import type { WriteOptions } from './ports/unit-of-work.ts';

/** How a use case makes a change that results in a `View`. */
export interface ChangeOptions<View> extends WriteOptions {
  /** What must hold of the thing that is changed. */
  readonly precondition?: Precondition<View> | undefined;
  /** Executes the change at most once. */
  readonly idempotency?: IdempotentRequest<View> | undefined;
}

/** Whether a thing may be changed, as it is inside the unit of work. A pure function. */
export type Precondition<View> = (current: View) => boolean;

/** A request that may be retried. */
export interface IdempotentRequest<View> {
  /** Identifies the request: an opaque text of up to 300 characters. */
  readonly id: string;
  /** Equal for a retry with the same content, different for any other content. */
  readonly fingerprint: string;
  /** Returns the response to record. A pure function; it is called inside the unit of work, again if that is executed again. */
  render(view: View): string;
  /** Returns the response to an error if retries get that too; nothing was changed then. */
  renderRefusal(error: unknown): string | undefined;
}

/** @throws {PreconditionFailed} */
export function assertHolds<View>(precondition: Precondition<View> | undefined, current: View): void {
  if (precondition && !precondition(current)) throw new PreconditionFailed();
}
