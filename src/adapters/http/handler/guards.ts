import type { ErrorCode } from '../../../api/errors/error-code.ts';
import { EVENT_STREAM_TYPE, JSON_TYPE } from '../../../api/media-types.ts';
import type { Deprecation } from '../../../api/operation.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { Scope } from '../../../domain/scope.ts';
import { HttpError } from '../http-error.ts';
import { assertNotWithdrawn } from '../response/lifecycle.ts';
import type { Exchange } from './exchange.ts';
import { authorize } from './http-access.ts';
import type { LoadShedder } from './load-shedder.ts';
import type { Readiness } from './readiness.ts';

/** What the guards of one operation need. */
export interface Guarded {
  readonly scopes: readonly Scope[];
  readonly deprecation: Deprecation | undefined;
  readonly requiresIfMatch: boolean;
  /** Whether the operation is also available as a stream. */
  readonly streams: boolean;
  /** What stands before the path of an operation in a link. */
  readonly base: string;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly load: LoadShedder;
}

/** Refuses some requests before their query and body are read. `lastId` is the last identifier in the path, unparsed. */
export interface Guard {
  /** The codes that it refuses with. */
  readonly codes: readonly ErrorCode[];
  check(exchange: Exchange, guarded: Guarded, lastId: string): void;
}

const withinQuota: Guard = {
  codes: ['rate_limited'],
  check: (exchange) => exchange.assertAdmitted(),
};

const serviceOpen: Guard = {
  codes: ['unavailable'],
  check: (_exchange, { readiness }) => readiness.assertOpen(),
};

const notOverloaded: Guard = {
  codes: ['unavailable'],
  check: (_exchange, { load }) => load.shedIfOverloaded(),
};

const authorized: Guard = {
  codes: ['unauthenticated', 'insufficient_scope'],
  check: (exchange, { scopes }) => {
    for (const scope of scopes) authorize(exchange, scope);
  },
};

const notWithdrawn: Guard = {
  codes: ['operation_withdrawn'],
  check: (_exchange, { deprecation, clock, base }, lastId) => {
    if (deprecation) assertNotWithdrawn(deprecation, clock.now(), base, lastId);
  },
};

const mediaTypeAccepted: Guard = {
  codes: ['not_acceptable'],
  check: (exchange, { streams }) => {
    if (streams && exchange.accepted.stream) return;
    if (!exchange.accepted.json) {
      const types = streams ? `${JSON_TYPE} or ${EVENT_STREAM_TYPE}` : JSON_TYPE;
      throw new HttpError('not_acceptable', `The response is available only as ${types}.`);
    }
    exchange.assertCodingAccepted();
  },
};

const preconditionGiven: Guard = {
  codes: ['precondition_required'],
  check: ({ request }, { requiresIfMatch }) => {
    if (!requiresIfMatch || request.headers['if-match'] !== undefined) return;
    throw new HttpError(
      'precondition_required',
      'This change requires If-Match: send the ETag of the resource as it was read.',
    );
  },
};

/** In the documented order: where several things are wrong, the first of these decides. */
export const GUARDS: readonly Guard[] = [
  withinQuota,
  serviceOpen,
  notOverloaded,
  authorized,
  notWithdrawn,
  mediaTypeAccepted,
  preconditionGiven,
];
