/** A pseudo-random generator: the same seed produces the same sequence in every run. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 to `end` - 1; `end` is at most 2³². */
  nextInt(end: number): number {
    // Mulberry32, which is in the public domain.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  oneOf<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.nextInt(values.length)] ?? values[0];
  }

  /** Well-formed text of up to `most` code points, invisible ones included. */
  text(most: number): string {
    return String.fromCodePoint(...Array.from({ length: this.nextInt(most + 1) }, () => this.#codePoint()));
  }

  #codePoint(): number {
    const end = this.oneOf([0x80, 0x80, 0x3000, 0x10000, 0x110000]);
    const point = this.nextInt(end);
    // Half of a surrogate pair is not a character.
    return point >= 0xd800 && point < 0xe000 ? point - 0x800 : point;
  }
}
