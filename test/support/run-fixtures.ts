import { endRun } from './end-of-run.ts';

/** Before a parallel run: starts one PostgreSQL for all worker processes, which get its address by their environment. */
export async function mochaGlobalSetup(this: { isParallelMode(): boolean }): Promise<void> {
  if (!this.isParallelMode()) return;
  const { postgresServer, SHARED_SERVER } = await import('./postgres-server.ts');
  process.env[SHARED_SERVER] = await postgresServer.addressOf('postgres');
}

export async function mochaGlobalTeardown(): Promise<void> {
  await endRun();
}

// Mocha kills a worker that does not end within a second, which on a busy machine is before its coverage is written.
if (process.env['MOCHA_WORKER_ID'] !== undefined) process.on('SIGTERM', () => undefined);
