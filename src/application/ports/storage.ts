/** The storage as a whole: what starts it, ends it and tells whether it answers. */
export abstract class Storage {
  /**
   * Makes the storage ready for work: connects, and brings its schema up to date. Before it changes anything it makes
   * sure that what it found is its own. @throws {StorageRefused}
   */
  abstract open(): Promise<void>;
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

/** What lies where the storage should be cannot be used; nothing was changed. The message says what to do, in one line. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
