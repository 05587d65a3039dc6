import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test of the suite that is being described; it goes, with all that is in it, when the test has ended. */
export function freshFolder(): () => string {
  let folder: string | undefined;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    if (folder) await removeFolder(folder);
    folder = undefined;
  });
  return () => {
    if (folder === undefined) throw new Error('There is a folder in tests and hooks only.');
    return folder;
  };
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'petstore-test-'));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
