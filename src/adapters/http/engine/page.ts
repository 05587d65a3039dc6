import type { Exchange } from './exchange.ts';

/** Something served beside the described interface, without the base path. */
export interface Page {
  /** With `:code` for a parameter. */
  readonly path: string;
  show(exchange: Exchange, parameters: Readonly<Record<string, string>>): void | Promise<void>;
}
