import { readFile } from 'node:fs/promises';
import { suppliedKeyId } from '../application/api-key-format.ts';
import { type KeyDesk, KeyRefused, type SuppliedKey } from '../application/key-desk.ts';
import type { Log } from '../application/ports/log.ts';
import { OptionRefused, type PetstoreOptions, SETTINGS } from './options.ts';

/** Nodes that start at the same time add the same key: all but one fail at first, and then find it in the store. */
const MAX_ATTEMPTS = 5;

/** The first key, from either setting. No message shows it. @throws {OptionRefused} */
export async function firstKeyOf({ firstKey, firstKeyFile }: PetstoreOptions): Promise<string | undefined> {
  if (firstKeyFile === undefined) return firstKey;
  const { variable, expects, show = String } = SETTINGS.firstKeyFile;
  const refused = (because: string) =>
    new OptionRefused(`${variable} was ${JSON.stringify(show(firstKeyFile))}; it must be ${expects}, and ${because}.`);
  const text = await readFile(firstKeyFile, 'utf8').catch(() => {
    throw refused('there is no such file, or this user may not read it');
  });
  const key = text.trim();
  if (suppliedKeyId(key) === undefined)
    throw refused(`it does not contain a key: it must be ${SETTINGS.firstKey.expects}`);
  return key;
}

/** Adds the key, unless the store has it. A key that was revoked or has expired stays invalid. @throws {KeyRefused} */
export async function addFirstKey(desk: KeyDesk, text: string, log: Log): Promise<void> {
  const { key, isNew } = await supplied(desk, text);
  if (isNew) log.info('added the first API key', { key: `key:${key.id}` });
  else if (key.state !== 'valid') log.warn(`the first API key is ${key.state}`, { key: `key:${key.id}` });
}

async function supplied(desk: KeyDesk, text: string): Promise<SuppliedKey> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await desk.supply(text, { name: 'First key', scopes: ['admin'] });
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || error instanceof KeyRefused) throw error;
    }
  }
}
