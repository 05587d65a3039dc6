/** How every API key begins, so that people and scanners for leaked secrets know one when they see it. */
export const KEY_PREFIX = 'petstore_';

const KEY_TEXT = /^petstore_([1-9]\d{0,15})_[\w-]{1,200}$/;

const SUPPLIED_KEY = /^petstore_([1-9]\d{0,5})_([\w-]{32,200})$/;

/** How many different characters the secret of a supplied key has at least: 32 random hexadecimal digits always have more. */
const MIN_DIFFERENT = 8;

/**
 * Which key a text is that was chosen outside of the service; `undefined` if it has not the form of a key, or its secret is too
 * short or too simple to be random.
 */
export function suppliedKeyId(text: string): number | undefined {
  const [, id, secret = ''] = SUPPLIED_KEY.exec(text) ?? [];
  return new Set(secret).size >= MIN_DIFFERENT ? Number(id) : undefined;
}

/** The text that a caller sends: it says which key it is, and proves it. */
export function formatApiKey(id: number, secret: string): string {
  return `${KEY_PREFIX}${id}_${secret}`;
}

/** Which key a text says that it is; `undefined` if it is no text of a key. */
export function parseKeyId(text: string): number | undefined {
  const id = Number(KEY_TEXT.exec(text)?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}
