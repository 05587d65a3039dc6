const tasks: (() => Promise<void>)[] = [];

/**
 * Runs a task when the whole run has ended. Worker processes of a parallel run are ended by their parent: what they leave
 * behind, the parent removes.
 */
export function atEndOfRun(task: () => Promise<void>): void {
  tasks.push(task);
}

/** Before a parallel run: starts one PostgreSQL for all worker processes, which get its address by their environment. */
export async function mochaGlobalSetup(this: { isParallelMode(): boolean }): Promise<void> {
  if (!this.isParallelMode()) return;
  const { postgresServer, SHARED_SERVER } = await import('./postgres-server.ts');
  process.env[SHARED_SERVER] = await postgresServer.addressOf('postgres');
}

/** Runs the tasks, the newest first. */
export async function mochaGlobalTeardown(): Promise<void> {
  for (const task of tasks.splice(0).reverse()) await task();
}

// Mocha kills a worker that does not end within a second, which on a busy machine is before its coverage is written.
if (process.env['MOCHA_WORKER_ID'] !== undefined) process.on('SIGTERM', () => undefined);
