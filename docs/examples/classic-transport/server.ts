import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type AccessControl,
  authorize,
  CredentialRequired,
  QuotaExceeded,
  ScopeMissing,
} from 'petstore-service/application/access-control';
import { PET_STATUSES, type PetStatus } from 'petstore-service/domain/pet-status';
import { DomainError } from 'petstore-service/domain/refusals';
import { tidyText } from 'petstore-service/domain/text';
import { isAllowedHost } from 'petstore-service/http/protocol/host';
import { CredentialRefused, VerifierUnavailable } from 'petstore-service/ports/credential-verifier';
import { StorageUnavailable } from 'petstore-service/ports/unit-of-work';
import type { ClassicCategory, ClassicOrder, ClassicPet, ClassicShop } from './shop.ts';

/** An answer that is not the one that was asked for. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What the request asks with; `invalid` is the status that this version of the interface has for a wrong body. */
interface Asked {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly invalid: number;
  body(): Promise<string>;
}
type Route = readonly [method: string, path: RegExp, answer: (shop: ClassicShop, asked: Asked) => Promise<unknown>];

const ROUTES: readonly Route[] = [
  ['POST', /^\/pet$/, async (shop, asked) => shop.addPet(petOf(await jsonOf(asked), asked))],
  [
    'PUT',
    /^\/pet$/,
    async (shop, asked) => {
      const pet = petOf(await jsonOf(asked), asked);
      return shop.updatePet({ ...pet, id: idOf(pet.id) });
    },
  ],
  [
    'GET',
    /^\/pet\/findByStatus$/,
    (shop, { query }) => shop.petsWith(wordsOf(query, 'status').map((word) => statusOf(word))),
  ],
  ['GET', /^\/pet\/findByTags$/, (shop, { query }) => shop.petsWith(PET_STATUSES, wordsOf(query, 'tags'))],
  ['GET', /^\/pet\/([^/]+)$/, (shop, { id }) => shop.pet(idOf(id))],
  [
    'POST',
    /^\/pet\/([^/]+)$/,
    async (shop, { id, query, invalid, body }) => {
      const form = new URLSearchParams(await body());
      const [name, status] = ['name', 'status'].map((field) => form.get(field) ?? query.get(field) ?? undefined);
      const change = { name: name && nameOf(name, invalid), status: status ? statusOf(status, invalid) : undefined };
      await shop.updatePetWithForm(idOf(id), change);
    },
  ],
  ['DELETE', /^\/pet\/([^/]+)$/, (shop, { id }) => shop.deletePet(idOf(id))],
  ['GET', /^\/store\/inventory$/, (shop) => shop.inventory()],
  ['POST', /^\/store\/order$/, async (shop, asked) => shop.placeOrder(orderOf(await jsonOf(asked), asked))],
  ['GET', /^\/store\/order\/([^/]+)$/, (shop, { id }) => shop.order(idOf(id))],
  ['DELETE', /^\/store\/order\/([^/]+)$/, (shop, { id }) => shop.deleteOrder(idOf(id))],
];
/** What the classic petstore has and this store has not. */
const NOT_HERE = /^\/(?:user(?:\/.*)?|pet\/[^/]+\/uploadImage)$/;
const MOST_BYTES = 1024 * 1024;

/**
 * Answers under `/v2`, and under `/v3` and `/api/v3`, in the shapes of the classic petstore. `allowedHosts` are the hosts beside this
 * machine that requests may name, or `any`.
 */
export function answering(
  shop: ClassicShop,
  access: AccessControl,
  allowedHosts: 'any' | readonly string[],
): RequestListener {
  return (request, response) => {
    const { host = '', origin } = request.headers;
    // Web pages of this machine may read the responses, and no others.
    if (origin !== undefined && isAllowedHost(origin.replace(/^https?:\/\//, ''), [])) {
      response.setHeader('Access-Control-Allow-Origin', origin);
    }
    response.setHeader('Vary', 'Origin');
    const isForbidden = allowedHosts !== 'any' && !isAllowedHost(host, allowedHosts);
    (isForbidden ? Promise.reject(forbidden(host)) : answer(shop, access, request)).then(
      (body) => send(response, 200, body),
      (error: unknown) => {
        const status = statusOfError(error);
        if (status === 500) console.error(error);
        const message = status === 500 ? 'Something went wrong.' : (error as Error).message;
        send(response, status, { code: status, type: 'error', message });
      },
    );
  };
}

/** Against DNS rebinding, as in the store's own transport. */
function forbidden(host: string): Refused {
  return new Refused(403, `The Host header is ${JSON.stringify(host)}; set PETSTORE_ALLOWED_HOSTS to allow it.`);
}

async function answer(shop: ClassicShop, access: AccessControl, request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://classic');
  const [, version, path = ''] = /^\/(?:api\/)?(v2|v3)(\/.*)$/.exec(pathname) ?? [];
  const fits = ROUTES.filter(([, pattern]) => version !== undefined && pattern.test(path));
  const route = fits.find(([method]) => method === request.method);
  if (!route) {
    if (NOT_HERE.test(path)) throw new Refused(501, 'This store keeps no users and no pictures.');
    throw new Refused(fits.length > 0 ? 405 : 404, `There is no ${request.method} ${pathname}.`);
  }
  // The store's own keys, in the header of the classic interface or as a bearer token; they count against the same quota.
  const { api_key: key, authorization = '' } = request.headers;
  const credential = typeof key === 'string' ? key : /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const admittance = await access.admit(credential, request.socket.remoteAddress ?? '');
  authorize(admittance, `${path.startsWith('/pet') ? 'pets' : 'store'}:${request.method === 'GET' ? 'read' : 'write'}`);
  const [, id = ''] = route[1].exec(path) ?? [];
  return route[2](shop, { id, query, invalid: version === 'v2' ? 405 : 422, body: () => textOf(request) });
}

function statusOfError(error: unknown): number {
  if (error instanceof Refused) return error.status;
  if (error instanceof CredentialRequired || error instanceof CredentialRefused) return 401;
  if (error instanceof ScopeMissing) return 403;
  if (error instanceof QuotaExceeded) return 429;
  if (error instanceof StorageUnavailable || error instanceof VerifierUnavailable) return 503;
  if (error instanceof DomainError) return /_not_found$/.test(error.code) ? 404 : 400;
  return 500;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Refused(413, 'That is too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function jsonOf({ body }: Asked): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await body());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof Refused) throw error;
  }
  throw new Refused(400, 'The body must be an object in JSON.');
}

function petOf(given: Record<string, unknown>, { invalid }: Asked): ClassicPet {
  const { id, name, category, photoUrls, tags, status } = given;
  const isText = (value: unknown) => typeof value === 'string';
  must(invalid, Array.isArray(photoUrls) && photoUrls.every(isText), 'photoUrls must be a list of addresses.');
  must(invalid, tags === undefined || Array.isArray(tags), 'tags must be a list.');
  return {
    id: id === undefined || id === 0 ? undefined : idOf(id),
    name: nameOf(name, invalid),
    category: category === undefined ? undefined : labelOf(category, invalid),
    photoUrls: photoUrls as string[],
    tags: (tags as unknown[] | undefined)?.map((tag) => labelOf(tag, invalid)),
    status: status === undefined ? undefined : statusOf(status, invalid),
  };
}

function orderOf(given: Record<string, unknown>, { invalid }: Asked): ClassicOrder {
  const { id, petId, quantity, shipDate, status, complete } = given;
  const wrong = invalid === 405 ? 400 : invalid;
  const isUnits = Number.isInteger(quantity) && Number(quantity) >= 0 && Number(quantity) <= 1_000_000;
  must(wrong, quantity === undefined || isUnits, 'quantity must be a whole number.');
  const isDate = typeof shipDate === 'string' && !Number.isNaN(Date.parse(shipDate));
  must(wrong, shipDate === undefined || isDate, 'shipDate must be a date and time.');
  must(wrong, [undefined, 'placed', 'approved', 'delivered'].includes(status as string), 'status is none of an order.');
  must(wrong, [undefined, true, false].includes(complete as boolean), 'complete must be true or false.');
  const chosen = id === undefined || id === 0 ? undefined : idOf(id);
  return { ...(given as Omit<ClassicOrder, 'petId'>), id: chosen, petId: idOf(petId) };
}

function labelOf(given: unknown, invalid: number): ClassicCategory {
  const { id, name } = Object(given) as Record<string, unknown>;
  return {
    id: id === undefined || id === 0 ? id : idOf(id),
    name: name === undefined ? undefined : nameOf(name, invalid),
  };
}

function nameOf(given: unknown, invalid: number): string {
  const name = typeof given === 'string' && given.isWellFormed() ? tidyText(given) : '';
  must(invalid, /^\P{Cc}{1,100}$/u.test(name), 'A name must be a text of 1 to 100 characters.');
  return name;
}

function idOf(given: unknown): number {
  const id = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given;
  must(400, Number.isSafeInteger(id) && Number(id) > 0, 'Invalid ID supplied.');
  return Number(id);
}

function statusOf(given: unknown, invalid = 400): PetStatus {
  must(invalid, PET_STATUSES.includes(given as PetStatus), 'Invalid status value.');
  return given as PetStatus;
}

function wordsOf(query: URLSearchParams, name: string): string[] {
  const words = query.getAll(name).flatMap((value) => value.split(','));
  must(400, words.length > 0, `${name} must be given.`);
  return words;
}

function must(status: number, holds: boolean, message: string): void {
  if (!holds) throw new Refused(status, message);
}
