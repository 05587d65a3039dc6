import { HttpError } from '../http-error.ts';
import type { HeaderFields } from '../response/message.ts';
import type { Exchange } from './exchange.ts';
import type { KnownPaths } from './known-paths.ts';
import type { PathEntry, PathIndex } from './path-index.ts';

interface UnmatchedParts {
  readonly index: PathIndex<PathEntry>;
  readonly knownPaths: KnownPaths;
  /** The headers that the response to OPTIONS has for browsers of other origins. */
  readonly preflightHeaders: (headers: Exchange['request']['headers'], methods: string) => HeaderFields;
}

/**
 * Returns a function that answers requests that nothing matched. OPTIONS (RFC 9110, section 9.3.7) and 405 (section 15.5.6) name
 * the methods of the path; every other path is 404.
 */
export function notFoundOrMethodNotAllowed({ index, knownPaths, preflightHeaders }: UnmatchedParts) {
  return (exchange: Exchange, path: string): void | Promise<void> => {
    exchange.assertAdmitted();
    const { method, headers } = exchange.request;
    const methods = index.methodsOf(path);
    const isOptions = method === 'OPTIONS';
    if (methods.length === 0 && !(isOptions && path === '*')) {
      const near = knownPaths.near(path);
      const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
      throw new HttpError('not_found', `The path ${path.slice(0, 200)} does not exist.${hint}`);
    }
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (isOptions) return exchange.send(204, ['Allow', allow, ...preflightHeaders(headers, allow)]);
    throw new HttpError('method_not_allowed', `${method} is not supported here; the path supports ${allow}.`, {
      headers: ['Allow', allow],
    });
  };
}
