import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The storage as a whole: what starts it, ends it and tells whether it answers. */
abstract class StoragePort {
  /**
   * Makes the storage ready for work: connects, and brings its schema up to date. Before it changes anything it makes
   * sure that what it found is its own. With `migrate: false` it creates nothing and leaves the schema as it is, because an
   * older service may be running on it; a store that does not exist, or whose schema is not current, is refused.
   * @throws {StorageRefused}
   */
  abstract open(options?: OpenOptions): Promise<void>;
  /** Ends what is under way and lets go of everything; nothing stays open. May be called more than once. */
  abstract close(): Promise<void>;
  /** Resolves when the storage answers. @throws {StorageUnavailable} */
  abstract check(): Promise<void>;
  /**
   * Whether there is a store, of whatever age: looked at before it is opened, and without making one. A storage that
   * cannot tell leaves this out. @throws {StorageRefused}
   */
  isThere?(): Promise<boolean>;
}

export type Storage = StoragePort;
export const Storage = sharedByCopies('Storage', StoragePort);

export interface OpenOptions {
  /** Whether a store that does not exist is created, and an older one is brought up to date. The default is `true`. */
  readonly migrate?: boolean;
}

/** What lies where the storage should be cannot be used; nothing was changed. The message says what to do, in one line. */
class StorageRefusedClass extends Error {
  override readonly name = 'StorageRefused';
}

export type StorageRefused = StorageRefusedClass;
export const StorageRefused = sharedByCopies('StorageRefused', StorageRefusedClass);
