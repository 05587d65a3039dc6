import type { EventLog } from '../../application/ports/event-log.ts';
import type { Reader } from '../../application/ports/reader.ts';
import type { OpenOptions, Storage } from '../../application/ports/storage.ts';
import type { UnitOfWork } from '../../application/ports/unit-of-work.ts';
import type { Gaps } from '../test-functions.ts';

/** An isolated storage for one check: open, migrated and empty. */
export interface OpenedStorage {
  readonly work: UnitOfWork;
  readonly reader: Reader;
  readonly eventLog: EventLog;
  readonly storage: Storage;
  /**
   * Opens the same data once more, as another process does, while this one is open or after it was closed. The other one is
   * disposed of first. The options are for `Storage.open`.
   */
  openAgain?(options?: OpenOptions): Promise<OpenedStorage>;
  /** Closes the storage and removes its data. Is called once, also when the storage was closed before. */
  dispose(): Promise<void>;
}

/** Opens a new storage. Its identifiers start at 1 and have no gaps while no unit of work fails. */
export type OpenStorage = () => Promise<OpenedStorage>;

/**
 * What a storage may be unable to do:
 *
 * - `openAgain`: be opened more than once with the same data, at the same time or one after the other.
 * - `unopened`: be made without being opened, in a place that is empty or belongs to another program.
 */
export const STORAGE_CAPABILITIES = ['openAgain', 'unopened'] as const;

export type StorageCapability = (typeof STORAGE_CAPABILITIES)[number];

/** A storage that was not opened yet. */
export interface UnopenedStorage {
  readonly storage: Storage;
  /** What is in its place, as a value that can be compared: the bytes of a file, the names of tables. */
  content(): Promise<unknown>;
  /** Closes the storage and removes everything. Is called once. */
  dispose(): Promise<void>;
}

/** A storage as the kit opens it. */
export interface StorageUnderTest {
  readonly open: OpenStorage;
  /** Makes a storage in a place that contains nothing, or something that another program stored there. */
  readonly unopened?: (content: 'nothing' | 'something foreign') => Promise<UnopenedStorage>;
  readonly gaps?: Gaps<StorageCapability>;
}
