/** One thing that can be set from outside. */
export interface Setting<Value> {
  readonly variable: string;
  readonly default: Value;
  /** What it may be, as the end of a sentence that begins "it must be". */
  readonly expects: string;
  readonly about: string;
  /** Gives `undefined` for a text that is none of that. */
  read(text: string): Value | undefined;
  /** The text without what nobody may see; left out where there is no such thing in it. */
  show?(text: string): string;
  /** For a text that is not taken: a sentence that says why, or what to write instead, where that can be told. */
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

/** The whole number that a text says, if it says one in these bounds. */
export function whole(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
