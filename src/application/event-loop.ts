/*
 * The event loop of any runtime. In browsers timers are numbers that keep nothing running, and there is no `setImmediate`.
 */

/** Lets a process end although its timer is still waiting, and returns the timer. */
export function inBackground<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/** Calls back in a later turn of the event loop, so that pending input and output is handled first. */
export function inLaterTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(callback);
  else setTimeout(callback);
}
