import type { Reader } from '../../application/ports/reader.ts';
import type { OpenOptions, Storage } from '../../application/ports/storage.ts';
import type { UnitOfWork } from '../../application/ports/unit-of-work.ts';
import type { Gaps } from '../test-functions.ts';

/** A storage of its own for one check: open, migrated and empty. */
export interface OpenedStorage {
  readonly work: UnitOfWork;
  readonly reader: Reader;
  readonly storage: Storage;
  /** The limit of a unit of work in milliseconds, if it was made with the one that was asked for. */
  readonly workLimit?: number | undefined;
  /** What the outbox holds, by rising position. */
  events(): Promise<readonly { readonly position: number; readonly type: string }[]>;
  /**
   * Opens what is kept here once more, as another process does, while this one is open or after it was closed. It is
   * disposed of before this one. The options are for `Storage.open`.
   */
  openAgain?(options?: OpenOptions): Promise<OpenedStorage>;
  /** Lets go of everything, the data too. Is called once, also when the storage was closed before. */
  dispose(): Promise<void>;
}

/** `workLimit`: how many milliseconds a unit of work may take. An adapter that cannot be told declares the gap. */
export type OpenStorage = (settings?: { readonly workLimit: number }) => Promise<OpenedStorage>;

/**
 * What a storage may be unable to do:
 *
 * - `workLimit`: be told how long a unit of work may take. It keeps that promise in tests of its own.
 * - `openAgain`: be opened more than once, at a time or one after the other, with the same data.
 */
export const STORAGE_CAPABILITIES = ['workLimit', 'openAgain'] as const;

export type StorageCapability = (typeof STORAGE_CAPABILITIES)[number];

/** A storage as the kit wants it. */
export interface StorageUnderTest {
  readonly open: OpenStorage;
  readonly gaps?: Gaps<StorageCapability>;
}
