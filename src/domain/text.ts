/**
 * Text as the store keeps it: Unicode normalisation form C, without white space at its ends.
 * Every text that enters the store goes through here, so that two spellings of one name are one name.
 */
export function tidyText(text: string): string {
  return text.normalize('NFC').trim();
}

/**
 * The key under which a name is compared, searched and sorted, whatever its case.
 * Lower case first and upper case after it, because upper case has no letter that depends on its neighbours
 * (the Greek final sigma does), so the key of a beginning is the beginning of the key.
 */
export function nameKey(name: string): string {
  return tidyText(name).toLowerCase().toUpperCase().normalize('NFC');
}

/**
 * Orders text by Unicode code points, as a database's binary order does.
 * JavaScript's own `<` compares UTF-16 units and puts U+1F600 before U+FF5E.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves the surrogates, which stand for the highest code points, above every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
