import type { Digest } from '../../../api/digest.ts';
import { hasEntityTag, type Operation } from '../../../api/operation.ts';
import type { ApiResponse, PageLinks } from '../../../api/response.ts';
import { entityTag } from './entity-tags.ts';
import type { HeaderFields, Rendered } from './message.ts';

/** Where a page of a list is: its path with what stands before it, and its query without `cursor`. */
export interface PageAddress {
  readonly path: string;
  readonly query: string;
}

/** Returns a function that writes what an operation returned in the terms of HTTP. `base` stands before every path. */
export function responseWriter(
  operation: Operation,
  base: string,
  digest: Digest,
): (response: ApiResponse, self: PageAddress) => Rendered {
  const status = operation.success;
  const isTagged = hasEntityTag(operation);
  return ({ body, location, page }, self) => {
    if (body === undefined) return { status, headers: NO_HEADERS };
    const text = JSON.stringify(body);
    const link = page && linksOf(page, self);
    // The tag of a page covers its links too.
    const tag = isTagged ? entityTag(digest, link === undefined ? text : `${link}\n${text}`) : undefined;
    return { status, tag, headers: headersOf(location && base + location, link, page?.total), body: text };
  };
}

const NO_HEADERS: HeaderFields = [];

/** The first and the next page (RFC 8288). */
function linksOf({ next }: PageLinks, { path, query }: PageAddress): string {
  const first = query === '' ? path : `${path}?${query}`;
  const link = `<${first}>; rel="first"`;
  return next === undefined ? link : `${link}, <${first}${query === '' ? '?' : '&'}cursor=${next}>; rel="next"`;
}

function headersOf(location: string | undefined, link: string | undefined, total: number | undefined): HeaderFields {
  if (location !== undefined) return ['Location', location];
  if (link === undefined) return NO_HEADERS;
  return total === undefined
    ? ['Link', link]
    : ['Link', link, 'X-Total-Count', String(total), 'Preference-Applied', 'return=total-count'];
}
