import type { Scope } from '../../../domain/scope.ts';
import type { Exchange } from './exchange.ts';

/** Something served beside the described interface, without the base path. */
export interface ServiceEndpoint {
  /** With `{code}` for a parameter. */
  readonly path: string;
  /** The scope that it requires, if any. */
  readonly scope?: Scope;
  /** What caches may do with its responses, including errors: by default, store them and revalidate them for every use. */
  readonly cacheControl?: string;
  serve(exchange: Exchange, parameters: Readonly<Record<string, string>>): void | Promise<void>;
}
