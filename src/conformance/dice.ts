/** Chooses as if by chance, and in every run the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 on, below `end`, which is 2³² at most. */
  below(end: number): number {
    // Mulberry32, which is in the public domain.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  oneOf<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0];
  }

  /** Well-formed text of any characters, those included that nobody sees, of up to `most` code points. */
  text(most: number): string {
    return String.fromCodePoint(...Array.from({ length: this.below(most + 1) }, () => this.#codePoint()));
  }

  #codePoint(): number {
    const end = this.oneOf([0x80, 0x80, 0x3000, 0x10000, 0x110000]);
    const point = this.below(end);
    // A half of a surrogate pair is no character.
    return point >= 0xd800 && point < 0xe000 ? point - 0x800 : point;
  }
}
