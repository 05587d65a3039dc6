import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';

/*
 * A consumer of events, as a program that tests kill. It follows them by pages or by streams, appends every event that it receives to
 * a journal, and now and then stores the position after which it continues when it is started again: a consumer that is killed in
 * between receives events again. Once there is a file `end`, it ends when it has reached the position in there.
 */

const LIMIT = 25;
const EVENTS_PER_CHECKPOINT = 100;
const PAUSE = 10;

const [folder = '.', way] = process.argv.slice(2);
const file = (name: string) => join(folder, name);
const [journal, checkpoint, services, end] = [file('journal'), file('checkpoint'), file('services'), file('end')];

// The last line of one that was killed may be incomplete.
appendFileSync(journal, '\n');
let position = existsSync(checkpoint) ? Number(readFileSync(checkpoint, 'utf8')) : 0;
let unstored = 0;

function receive(text: string, id: number): void {
  if (!(id > position)) throw new Error(`Event ${id} was received after position ${position}.`);
  appendFileSync(journal, `${text}\n`);
  position = id;
  unstored += 1;
  if (unstored < EVENTS_PER_CHECKPOINT) return;
  writeFileSync(`${checkpoint}.new`, String(position));
  renameSync(`${checkpoint}.new`, checkpoint);
  unstored = 0;
}

/** Reads a page. Returns whether there is more to read at once. */
async function readPage(url: string): Promise<boolean> {
  const response = await answerOf(`${url}/store/events?after=${position}&limit=${LIMIT}`);
  const events = response && (await completeOrNot(response.json() as Promise<{ readonly id: string }[]>));
  if (!response || !events) return false;
  for (const event of events) receive(JSON.stringify(event), Number(event.id));
  const next = /[?&]after=(\d+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  position = Number(next ?? response.headers.get('Petstore-Event-Position'));
  return next !== undefined;
}

/** Reads a stream until it ends. */
async function readStream(url: string): Promise<boolean> {
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': String(position) };
  const response = await answerOf(`${url}/store/events`, headers);
  if (!response?.body) return false;
  const parser = createParser({ onEvent: ({ id, data }) => receive(data, Number(id)) });
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await completeOrNot(pieces.read());
    if (piece?.value === undefined) return false;
    parser.feed(piece.value);
  }
}

/** Returns `undefined` if the service is away or busy. */
async function answerOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response | undefined> {
  const response = await completeOrNot(fetch(url, { headers }));
  if (response?.status === 503) return undefined;
  if (response && response.status !== 200) throw new Error(`${response.status} after position ${position}`);
  return response;
}

/** Returns `undefined` if the connection was lost. */
function completeOrNot<Value>(received: Promise<Value>): Promise<Value | undefined> {
  return received.catch(() => undefined);
}

setInterval(() => {
  if (existsSync(end) && position >= Number(readFileSync(end, 'utf8'))) process.exit(0);
}, PAUSE);

const read = way === 'stream' ? readStream : readPage;
for (let attempts = 0; ; attempts++) {
  const urls = readFileSync(services, 'utf8').split('\n');
  const hasMore = await read(urls[attempts % urls.length] as string);
  // A consumer that has read everything, or found its service away, asks again soon.
  if (!hasMore) await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
