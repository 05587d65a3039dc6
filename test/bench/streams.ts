import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { ServiceProcess } from '../support/service-process.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const STREAMS = 1_000;
const CLIENTS = 32;
const SECONDS = 5;
/** Changes a second, while the delay is measured. */
const RATE = 20;

/** What open streams of events cost one node. The clients run on the same machine, so the figures include them. */
const folder = await temporaryFolder();
const service = await ServiceProcess.start({
  DATABASE_URL: `sqlite:${join(folder, 'store.db')}`,
  PETSTORE_MAX_CONNECTIONS_PER_ADDRESS: '5000',
});
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
try {
  await send('POST', '/categories', { name: 'Dogs' });
  await send('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await send('PUT', '/store/inventory/1', { quantity: 1_000_000_000 });
  await orders(2);
  const without = await orders(SECONDS);
  const memoryBefore = residentBytes(service.pid);
  const streams = await Promise.all(Array.from({ length: STREAMS }, openStream));
  const perStream = (residentBytes(service.pid) - memoryBefore) / STREAMS;
  const delays = await measureDelays(streams);
  for (const stream of streams) stream.removeAllListeners('data').resume();
  const withStreams = await orders(SECONDS);
  for (const stream of streams) stream.destroy();
  console.log(`${STREAMS} streams on one node, SQLite:`);
  console.log(`  memory of the service per stream: ${(perStream / 1024).toFixed(1)} KiB`);
  console.log(`  commit to delivery, ${RATE} changes a second: p50 ${at(delays, 0.5)} ms, p99 ${at(delays, 0.99)} ms`);
  console.log(`  orders a second, ${CLIENTS} clients: ${without} without streams, ${withStreams} with them`);
} finally {
  agent.destroy();
  await service.stop();
  await removeFolder(folder);
}

function openStream(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const opening = get(`${service.url}/store/events`, {
      agent: false,
      headers: { Accept: 'text/event-stream' },
    });
    opening.once('response', resolve).once('error', reject);
  });
}

/** The delays of all events on all streams in milliseconds, sorted. The service writes the time of the change into the event. */
async function measureDelays(streams: readonly IncomingMessage[]): Promise<number[]> {
  const delays: number[] = [];
  const changes = RATE * SECONDS;
  const received = new Promise<void>((resolve) => {
    for (const stream of streams) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        for (const [, time = ''] of text.matchAll(/"time":"([^"]+)"/g)) delays.push(Date.now() - Date.parse(time));
        if (delays.length >= changes * streams.length) resolve();
      });
    }
  });
  for (let i = 0; i < changes; i++) {
    await send('POST', '/categories', { name: `Category ${i}` });
    await new Promise((resolve) => setTimeout(resolve, 1_000 / RATE));
  }
  await received;
  return delays.sort((a, b) => a - b);
}

/** Orders a second. */
async function orders(seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let placed = 0;
  const client = async () => {
    while (performance.now() < end) {
      await send('POST', '/store/orders', { petId: 1 });
      placed += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return Math.round(placed / seconds);
}

function send(method: string, path: string, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const content = JSON.stringify(body);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) };
    const sending = request(service.url + path, { method, agent, headers }, (response) => {
      if ((response.statusCode ?? 0) >= 300) reject(new Error(`${path} was ${response.statusCode}.`));
      response.resume().once('end', resolve);
    });
    sending.once('error', reject).end(content);
  });
}

/** Linux only. */
function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
