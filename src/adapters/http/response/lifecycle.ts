import type { Deprecation, Operation } from '../../../api/operation.ts';
import { HttpError } from '../http-error.ts';
import type { HeaderFields } from './message.ts';

/*
 * Deprecation and stability are data of the operation; only this module converts them to headers.
 */

const NONE: HeaderFields = [];

/** The headers of every response of the operation, including errors. They are created once, for the last identifier of any path. */
export function lifecycleHeaders({ stability, deprecation }: Operation, base: string): (id: string) => HeaderFields {
  const stable: HeaderFields = stability ? ['Stability', stability] : NONE;
  if (!deprecation) return () => stable;
  const fixed = [
    ...stable,
    'Deprecation',
    `@${Math.floor(deprecation.since / 1000)}`,
    'Sunset',
    new Date(deprecation.sunset).toUTCString(),
  ];
  return (id) => [...fixed, 'Link', `<${base}${successorOf(deprecation, id)}>; rel="successor-version"`];
}

/** The operation is withdrawn at its sunset. @throws {HttpError} `operation_withdrawn` */
export function assertNotWithdrawn(deprecation: Deprecation, now: number, base: string, id: string): void {
  if (now < deprecation.sunset) return;
  throw new HttpError(
    'operation_withdrawn',
    `This operation was withdrawn on ${new Date(deprecation.sunset).toISOString()}: use ${base}${successorOf(deprecation, id)} instead.`,
  );
}

function successorOf({ successor }: Deprecation, id: string): string {
  return successor.replace(/\{\w+\}/, encodeURIComponent(id));
}
