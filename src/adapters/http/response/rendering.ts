import type { Digest } from '../../../api/digest.ts';
import { hasEntityTag, type Operation } from '../../../api/operation.ts';
import type { PageResponse } from '../../../api/paging.ts';
import type { EventBatch } from '../../../application/ports/event-log.ts';
import type { HeaderFields, Rendered } from './message.ts';

/** Where a page of a list is: its path with the base, and its query without where the page begins. */
export interface PageAddress {
  readonly path: string;
  readonly query: string;
}

const NO_HEADERS: HeaderFields = [];

/** Returns a function that renders the result of an operation as an HTTP response. `base` precedes every path. */
export function resultRenderer(
  operation: Operation,
  base: string,
  digest: Digest,
): (result: unknown, self: PageAddress) => Rendered {
  const { success: status, paged, feed } = operation;
  const show = operation.show as (result: unknown) => unknown;
  const location = operation.location as ((result: unknown) => string) | undefined;
  const tagOf = hasEntityTag(operation) ? (text: string) => entityTag(digest, text) : () => undefined;

  if (status === 204) return () => ({ status, headers: NO_HEADERS });
  if (paged) {
    return (result, self) => {
      const { rows, next, total } = result as PageResponse<unknown>;
      const body = JSON.stringify(rows.map(show));
      const link = linksOf(self, next && `cursor=${next}`);
      const counted =
        total === undefined ? [] : ['X-Total-Count', String(total), 'Preference-Applied', 'return=total-count'];
      // The tag of a page covers its links too.
      return { status, tag: tagOf(`${link}\n${body}`), headers: ['Link', link, ...counted], body };
    };
  }
  if (feed) {
    return (result, self) => {
      const { events, position, last } = result as EventBatch;
      const body = JSON.stringify(events.map(show));
      const link = linksOf(self, position < last ? `after=${position}` : undefined);
      const headers = ['Link', link, 'Petstore-Event-Position', String(last)];
      return { status, tag: tagOf(`${link}\n${last}\n${body}`), headers, body };
    };
  }
  return (result) => {
    const body = JSON.stringify(show(result));
    return { status, tag: tagOf(body), headers: location ? ['Location', base + location(result)] : NO_HEADERS, body };
  };
}

/**
 * Returns a function that adds to the first response to a request what is shown only once. It is not in what is recorded for retries,
 * and not in the entity tag, which is that of the resource.
 */
export function completion(operation: Operation): (rendered: Rendered, result: unknown) => Rendered {
  const showOnce = operation.showOnce as ((result: unknown) => object) | undefined;
  if (!showOnce) return (rendered) => rendered;
  return (rendered, result) => {
    const shown = JSON.parse(rendered.body ?? '{}') as object;
    return { ...rendered, body: JSON.stringify({ ...shown, ...showOnce(result) }) };
  };
}

/** The first and the next page (RFC 8288). */
function linksOf({ path, query }: PageAddress, next: string | undefined): string {
  const first = query === '' ? path : `${path}?${query}`;
  const link = `<${first}>; rel="first"`;
  return next === undefined ? link : `${link}, <${first}${query === '' ? '?' : '&'}${next}>; rel="next"`;
}

/**
 * A strong entity tag (RFC 9110, section 8.8.3): a digest of the representation itself, so that it changes exactly when
 * the representation does, on every storage and every node.
 */
export function entityTag(digest: Digest, representation: string | Uint8Array): string {
  return `"${digest.sha1(representation)}"`;
}
