import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Creates and compares secrets. */
abstract class SecretsPort {
  /** A secret of 256 random bits, as letters, digits, `-` and `_`. */
  abstract make(): string;
  /** A one-way digest: equal for equal texts, as letters, digits, `-` and `_`. */
  abstract digest(text: string): string;
  /** Whether two digests are equal, in constant time. */
  abstract same(digest: string, other: string): boolean;
}

export type Secrets = SecretsPort;
export const Secrets = sharedByCopies('Secrets', SecretsPort);
