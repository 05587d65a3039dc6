/**
 * Text as the store keeps it: Unicode normalisation form C, without white space at its ends.
 * Every text that enters the store goes through here, so that two spellings of one name are one name.
 */
export function tidyText(text: string): string {
  return text.normalize('NFC').trim();
}

/** ASCII, of which most names consist. Spellings of such a name differ only in case. */
const PLAIN = /^[ -~]*$/;
/** Invisible characters: soft hyphens, zero-width characters, direction marks, variation selectors, fillers … */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** A letter with a dot, such as i, and the combining marks that follow it. */
const DOTTED = /\p{Soft_Dotted}\p{M}+/gu;

/**
 * The key under which a name is compared, searched and sorted. Spellings that differ in case, in the form of their letters
 * (full-width, ligatures, ß and SS, i with and without its dot), in the order of their marks or in invisible characters have one
 * key: Unicode's NFKC_Casefold (The Unicode Standard, 3.13), in upper case, and without the dots above i and j. Letters
 * of different scripts that only look alike stay different. A name of invisible characters only is its own key.
 *
 * The key of a prefix is a prefix of the key. There are two exceptions: Unicode combines the characters on both sides of the cut
 * (a letter and its mark, the parts of a Hangul syllable), or the prefix has invisible characters only.
 */
export function nameKey(name: string): string {
  if (PLAIN.test(name)) return name.trim().toUpperCase();
  const tidy = tidyText(name);
  let key = fold(tidy);
  // One round may allow another one (a dotless i with a dot above it, marks that were kept apart). The number of rounds is small for
  // any length of the name, because each letter reaches its last form after few rounds and no round adds letters.
  for (let before = tidy; key !== before; ) {
    before = key;
    key = fold(key);
  }
  return key || changeCase(tidy).normalize('NFC');
}

function fold(text: string): string {
  const letters = text.normalize('NFKD').replace(IGNORABLE, '').toLowerCase();
  const undotted = letters.replace(DOTTED, (letter) => letter.replaceAll('\u0307', ''));
  return changeCase(undotted).normalize('NFKC').trim();
}

/** Changes to lower case and then to upper case, in which no letter depends on its neighbours; the lower-case final sigma does. */
function changeCase(text: string): string {
  return text.toLowerCase().toUpperCase();
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
