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
}

export type SettingsOf<Options> = { readonly [Name in keyof Options]-?: Setting<Options[Name]> };

export const onOff = {
  expects: 'on or off',
  read: (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined),
};

/** The whole number that a text says, if it says one in these bounds. */
export function whole(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
