/**
 * Lets a process end although its timer is still waiting, and returns the timer. In a browser a timer is a number, and keeps
 * nothing running.
 */
export function inBackground<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
