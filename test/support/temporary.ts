import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for each test of the current suite, which is removed with its contents after the test. */
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
