import { setTimeout as pause } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';

/**
 * Takes the file's write lock by `begin`, which runs `BEGIN IMMEDIATE`: what is read from then on, no other process is
 * about to change. While another one has it, this process goes on; after `longest` milliseconds it gives up.
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
