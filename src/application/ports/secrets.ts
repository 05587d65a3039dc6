import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Makes and compares secrets. */
abstract class SecretsPort {
  /** A text that nobody can guess: 256 random bits, in letters, digits, `-` and `_`. */
  abstract make(): string;
  /** A digest from which the text cannot be found: the same for the same text, in letters, digits, `-` and `_`. */
  abstract digest(text: string): string;
  /** Whether two digests are the same, in a time that does not tell where they differ. */
  abstract same(digest: string, other: string): boolean;
}

export type Secrets = SecretsPort;
export const Secrets = sharedByCopies('Secrets', SecretsPort);
