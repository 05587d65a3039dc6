/** One setting. */
export interface Setting<Value> {
  readonly variable: string;
  readonly default: Value;
  /** The accepted values, as the end of a sentence that begins "it must be". */
  readonly expects: string;
  readonly about: string;
  /** Returns `undefined` for any other text. */
  read(text: string): Value | undefined;
  /** The text without its secrets; absent where it has none. */
  show?(text: string): string;
  /** For a refused text: a sentence that says why, or what to write instead, if that is known. */
  hint?(text: string): string | undefined;
}

export type SettingsOf<Options> = { readonly [Name in keyof Options]-?: Setting<Options[Name]> };

const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

export const onOff = {
  expects: 'on or off (or true or false, 1 or 0)',
  read: (text: string) => SWITCH.get(text),
};

/** The whole number in a text; `undefined` if it is none, or out of bounds. */
export function whole(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
