/** The prefix of every API key, by which people and secret scanners recognise one. */
export const KEY_PREFIX = 'petstore_';

const KEY_TEXT = /^petstore_([1-9]\d{0,15})_[\w-]{1,200}$/;

const SUPPLIED_KEY = /^petstore_([1-9]\d{0,5})_([\w-]{32,200})$/;

/** The minimum number of different characters in the secret of a supplied key: 32 random hexadecimal digits have more. */
const MIN_DIFFERENT = 8;

/**
 * Parses a supplied key. Returns `undefined` if the text does not have the form of a key, or if its secret is too short or too
 * simple to be random.
 */
export function suppliedKeyId(text: string): number | undefined {
  const [, id, secret = ''] = SUPPLIED_KEY.exec(text) ?? [];
  return new Set(secret).size >= MIN_DIFFERENT ? Number(id) : undefined;
}

/** The text that a caller sends: the number of the key and its secret. */
export function formatApiKey(id: number, secret: string): string {
  return `${KEY_PREFIX}${id}_${secret}`;
}

/** The number of the key in a text; `undefined` if the text does not have the form of a key. */
export function parseKeyId(text: string): number | undefined {
  const id = Number(KEY_TEXT.exec(text)?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}
