import { Session } from 'node:inspector/promises';
import { createPetstore } from '../../src/composition/create-petstore.ts';

/*
 * Prints the files of src of which a function runs while one order is placed, as JSON. A process of its own, because the
 * coverage of a process is measured once.
 */
const [databaseUrl = 'memory:'] = process.argv.slice(2);
const petstore = await createPetstore({
  databaseUrl,
  port: 0,
  demo: true,
  logLevel: 'silent',
  limits: { eventLoopLag: 60_000, operationTime: 60_000 },
});

async function placeOrder(): Promise<void> {
  const response = await fetch(`${petstore.url}/store/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"petId":1}',
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await placeOrder();
const { result } = await session.post('Profiler.takePreciseCoverage');

const root = new URL('../../', import.meta.url).href;
const used = result.filter(
  ({ url, functions }) =>
    url.startsWith(`${root}src/`) &&
    functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0),
);
console.log(JSON.stringify(used.map(({ url }) => url.slice(root.length)).sort()));
await petstore.close();
