import { expect } from 'chai';
import { type RawResponse, RawSocket } from '../../support/raw-socket.ts';
import type { ErrorFacts } from '../../support/refusals.ts';
import type { RunningPetstore } from '../../support/running-petstore.ts';

/** The head of a request to the store, without the empty line. */
export function head(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...fields, ''].join('\r\n');
}

/** A whole request without a body. */
export function request(line: string, ...fields: string[]): string {
  return `${head(line, ...fields)}\r\n`;
}

/** A request that creates a category, with its body framed by the given fields. */
export function posting(body: string, ...fields: string[]): string {
  return `${request('POST /categories', 'Content-Type: application/json', ...fields)}${body}`;
}

export function chunked(...chunks: string[]): string {
  return posting(chunks.join('\r\n'), 'Transfer-Encoding: chunked');
}

/** Sends these bytes on a new connection. Returns the first response; `undefined` if the connection ended without one. */
export async function sent(
  store: RunningPetstore,
  bytes: string | Uint8Array,
  method = 'GET',
): Promise<RawResponse | undefined> {
  const socket = await RawSocket.connect(store.url);
  try {
    return await socket.send(bytes).answer(method);
  } finally {
    await socket.close();
  }
}

/** Asserts that the response is this error in the documented form, and that the store still serves others. */
export async function expectRefusal(
  store: RunningPetstore,
  answer: RawResponse | undefined,
  status: number,
  code: string,
): Promise<ErrorFacts> {
  if (!answer) return expect.fail('There was no answer.');
  const error = JSON.parse(answer.body.toString()) as ErrorFacts;
  expect(`${answer.status} ${error.code}`, answer.body.toString()).to.equal(`${status} ${code}`);
  expect(store.check.schemaFaults('/components/schemas/Error', error)).to.deep.equal([]);
  expect(error.status).to.equal(status);
  expect(error.requestId).to.be.a('string').and.equal(answer.headers.get('x-request-id'));
  expect(answer.headers.get('api-version')).to.equal('1.0.0');
  expect(answer.headers.get('cache-control')).to.equal('no-cache');
  expect(answer.headers.get('content-type')).to.equal('application/json');
  await expectAlive(store);
  return error;
}

/** Asserts that the store serves others and is unchanged. */
export async function expectAlive(store: RunningPetstore): Promise<void> {
  const { status, body } = await store.get('/categories');
  expect([status, body]).to.deep.equal([200, []]);
}
