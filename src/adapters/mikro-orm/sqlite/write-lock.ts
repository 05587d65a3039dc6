import { setTimeout as pause } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';

/**
 * Takes the write lock of the file with `begin`, which runs `BEGIN IMMEDIATE`: from then on no other process can change
 * the file. While another process holds the lock, it retries without blocking the event loop, for `longest` milliseconds.
 */
export async function takeWriteLock(begin: () => unknown, longest: number): Promise<void> {
  const deadline = performance.now() + longest;
  for (;;) {
    try {
      begin();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await pause(5 + 20 * Math.random());
    }
  }
}
