/** How every API key begins, so that people and scanners for leaked secrets know one when they see it. */
export const KEY_PREFIX = 'petstore_';

const KEY_TEXT = /^petstore_([1-9]\d{0,15})_[\w-]{1,200}$/;

/** The text that a caller sends: it says which key it is, and proves it. */
export function keyText(id: number, secret: string): string {
  return `${KEY_PREFIX}${id}_${secret}`;
}

/** Which key a text says that it is; `undefined` if it is no text of a key. */
export function keyIdOf(text: string): number | undefined {
  const id = Number(KEY_TEXT.exec(text)?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}
