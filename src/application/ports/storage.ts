import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The lifecycle of a storage. */
abstract class StoragePort {
  /**
   * Connects and brings the schema up to date. Before it changes anything, it checks that the existing data is a store of this
   * service. With `migrate: false` it creates and migrates nothing, because an older service may be using the store; it refuses a
   * store that does not exist or whose schema is not current.
   * @throws {StorageRefused}
   */
  abstract open(options?: OpenOptions): Promise<void>;
  /** Ends the units of work in progress and closes all resources. May be called more than once. */
  abstract close(): Promise<void>;
  /** Resolves if the storage is available. @throws {StorageUnavailable} */
  abstract check(): Promise<void>;
  /**
   * Whether a store of any version exists; called before `open`, creates nothing. Optional: absent if the adapter cannot tell.
   * @throws {StorageRefused}
   */
  isThere?(): Promise<boolean>;
}

export type Storage = StoragePort;
export const Storage = sharedByCopies('Storage', StoragePort);

export interface OpenOptions {
  /** Whether to create a store that does not exist, and to migrate an older one. The default is `true`. */
  readonly migrate?: boolean;
}

/** The existing data cannot be used as a store; nothing was changed. The message says what to do, in one line. */
class StorageRefusedClass extends Error {
  override readonly name = 'StorageRefused';
}

export type StorageRefused = StorageRefusedClass;
export const StorageRefused = sharedByCopies('StorageRefused', StorageRefusedClass);
