const tasks: (() => Promise<void>)[] = [];

/**
 * Runs a task when the whole run has ended. Worker processes of a parallel run are ended by their parent: what they leave
 * behind, the parent removes.
 */
export function atEndOfRun(task: () => Promise<void>): void {
  tasks.push(task);
}

/** Runs the tasks, the newest first. */
export async function endRun(): Promise<void> {
  for (const task of tasks.splice(0).reverse()) await task();
}
