import type { Entrant } from './contest.ts';
import { CONTESTANTS } from './contestants.ts';
import { requestsFor, WORK, type Work } from './requests.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response, as far as it is compared. */
type View = (response: Response, body: string) => unknown;

const LIST = '/pets?status=available&categoryId=1&limit=20';
const ORDERS = ['{"petId":1,"quantity":0}', '{"petId":"1"}', '{"petId":1,"colour":"red"}', '{', '{"petId":10}'];

/** Requests that the service refuses, each for another reason. */
const REFUSED: readonly Asked[] = [
  ...['/store/pets/0', '/store/pets/x', '/store/pets/9007199254740991', '/store/pets/1?colour=red'].map(get),
  ...['&limit=101', '&limit=20&colour=red', '&cursor=WzEsMV0.AAAAAAAAAAAAAAAA'].map((end) =>
    get(LIST.replace('&limit=20', end)),
  ),
  get(LIST.replace('available', 'lost')),
  { ...get('/store/pets/1'), headers: { accept: 'text/html' } },
  ...ORDERS.map((body) => post(body, 'application/json')),
  post('{}', 'text/plain'),
];

/**
 * Compares the responses of the contestants before anything is measured: the bodies of all and, of those that do the same work, also
 * the headers, the next page, conditional requests and refusals. Returns the differences.
 */
export async function differencesOf(entrants: readonly Entrant[], pets: number): Promise<string[]> {
  const equals = entrants.filter(({ name }) => CONTESTANTS[name].doesSameWork);
  const measured = (Object.keys(WORK) as Work[]).flatMap((work) => requestsFor(work, pets, 0).slice(0, 20));
  const page = await ask(equals[0] as Entrant, get(LIST));
  const next = /, <(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  const further = [
    get(next ?? LIST),
    { ...get(LIST), headers: { 'if-none-match': page.headers.get('etag') ?? '' } },
    { ...get(LIST), headers: { 'x-request-id': 'given' } },
  ];
  return [
    ...(await different(entrants, measured, bodyOf)),
    ...(await different(equals, [...measured, ...further], everythingOf)),
    ...(await different(equals, REFUSED, refusalOf)),
  ];
}

async function different(entrants: readonly Entrant[], requests: readonly Asked[], view: View): Promise<string[]> {
  const differences: string[] = [];
  for (const asked of requests) {
    const views: string[] = [];
    for (const entrant of entrants) {
      const response = await ask(entrant, asked);
      views.push(JSON.stringify(view(response, await response.text())));
    }
    if (new Set(views).size === 1) continue;
    const lines = views.map((text, i) => `\n  ${entrants[i]?.name.padEnd(13)} ${text}`);
    differences.push(`${asked.method} ${asked.path} ${asked.body ?? ''} has different responses:${lines.join('')}`);
  }
  return differences;
}

function bodyOf({ status }: Response, body: string): unknown {
  return [status, body];
}

function everythingOf({ status, headers }: Response, body: string): unknown {
  const { date, 'x-request-id': requestId, ...fields } = Object.fromEntries(headers);
  return { status, fields, hasDate: date !== undefined, requestId: requestId?.replaceAll(/[\da-f]/g, '0'), body };
}

/** Texts may differ, and whether the connection is kept. */
function refusalOf({ status, headers }: Response, body: string): unknown {
  const names = [...headers.keys()].filter((name) => name !== 'connection' && name !== 'keep-alive');
  return { status, code: (JSON.parse(body) as { code: string }).code, names };
}

function ask({ servers: [server], headers: own }: Entrant, { method, path, headers, body }: Asked): Promise<Response> {
  return fetch(server.url + path, {
    method,
    // `fetch` accepts compression by default; the load does not.
    headers: { 'accept-encoding': 'identity', ...headers, ...own },
    ...(body !== undefined && { body }),
  });
}

function get(path: string): Asked {
  return { method: 'GET', path };
}

function post(body: string, type: string): Asked {
  return { method: 'POST', path: '/store/orders', headers: { 'content-type': type }, body };
}
