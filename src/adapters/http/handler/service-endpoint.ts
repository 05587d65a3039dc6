import type { Scope } from '../../../domain/scope.ts';
import type { Exchange } from './exchange.ts';

/** Something served beside the described interface, without the base path. */
export interface ServiceEndpoint {
  /** With `{code}` for a parameter. */
  readonly path: string;
  /** The scope that it requires, if any. */
  readonly scope?: Scope;
  /** What caches may do with its responses, errors included: by default, keep them and ask each time whether they still hold. */
  readonly cacheControl?: string;
  serve(exchange: Exchange, parameters: Readonly<Record<string, string>>): void | Promise<void>;
}
