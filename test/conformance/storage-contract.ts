import { runWithMocha } from '../../src/conformance/mocha.ts';
import type { Gaps } from '../../src/conformance/plan.ts';
import type { OpenStorage, StorageCapability } from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';

/**
 * The promises of the ports `UnitOfWork`, `Reader` and `Storage`, as tests that every adapter passes. `open` gives an empty
 * storage of its own each time; the suite disposes of every one.
 */
export function storageContract(
  name: string,
  open: OpenStorage,
  gaps: Gaps<StorageCapability> = { openAgain: 'Its own specs open it more than once.' },
): void {
  runWithMocha(storageSuite(name, { open, gaps }));
}
