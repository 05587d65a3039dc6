import assert from 'node:assert/strict';
import type { Secrets } from '../application/ports/secrets.ts';
import { openedForEach, type TestFunctions } from './test-functions.ts';

export interface OpenedSecrets {
  readonly secrets: Secrets;
  /** Releases everything. Is called once. */
  dispose(): Promise<void>;
}

/** Secrets as the kit opens them. */
export interface SecretsUnderTest {
  open(): Promise<OpenedSecrets>;
}

const PLAIN = /^[\w-]+$/;
/** 256 bits in an alphabet of 64 characters. */
const FEWEST_CHARACTERS = 43;

/** Pairs of texts that are two secrets, however alike they are. */
const DIFFERENT: readonly (readonly [string, string])[] = [
  ['secret', 'Secret'],
  ['secret', 'secret '],
  ['', '\0'],
  ['Zo\u00eb', 'Zoe\u0308'],
  ['a'.repeat(72), 'a'.repeat(73)],
  ['\u{1f600}', '\u{1f601}'],
  [`${'x'.repeat(100_000)}a`, `${'x'.repeat(100_000)}b`],
];

/** The contract of the port `Secrets`. */
export function secretsSuite({ open }: SecretsUnderTest, test: TestFunctions): void {
  const { describe, it } = test;
  describe('Secrets', () => {
    const opened = openedForEach(open, test);

    it('makes texts of at least 43 letters, digits, "-" and "_", each another one', () => {
      const made = Array.from({ length: 2_000 }, () => opened.secrets.make());

      for (const secret of made) {
        assert.match(secret, PLAIN);
        assert.ok(secret.length >= FEWEST_CHARACTERS, `"${secret}" is too short for 256 random bits`);
      }
      assert.equal(new Set(made).size, made.length);
    });

    it('makes texts that share no pattern', () => {
      const made = Array.from({ length: 2_000 }, () => opened.secrets.make());

      // Of 2,000 random characters, 16 are all but certain to differ, also where one stands for fewer than six bits.
      const varied = Array.from(
        { length: FEWEST_CHARACTERS },
        (_, place) => new Set(made.map((text) => text[place])).size,
      );
      const random = varied.filter((characters) => characters >= 16).length;
      assert.ok(random >= FEWEST_CHARACTERS - 1, `only ${random} of ${FEWEST_CHARACTERS} characters are random`);
      assert.equal(new Set(made.map((text) => text.slice(0, 8))).size, made.length, 'two begin alike');
    });

    it('digests a text to the same letters, digits, "-" and "_" each time, in every instance', async () => {
      const other = await open();
      try {
        for (const text of DIFFERENT.flat()) {
          const digest = opened.secrets.digest(text);
          assert.match(digest, PLAIN);
          assert.equal(opened.secrets.digest(text), digest);
          assert.equal(other.secrets.digest(text), digest, 'another instance has another digest');
        }
      } finally {
        await other.dispose();
      }
    });

    it('digests different texts differently', () => {
      for (const [one, another] of DIFFERENT) {
        assert.notEqual(opened.secrets.digest(one), opened.secrets.digest(another));
      }
    });

    it('digests a text to nothing that contains it or depends on its length', () => {
      const { secrets } = opened;
      const [short, long] = [secrets.make(), secrets.make().repeat(50)];

      assert.equal(secrets.digest(short).length, secrets.digest(long).length);
      assert.ok(!secrets.digest(short).includes(short.slice(0, 12)), 'the digest contains the text');
    });

    it('compares digests exactly, of any length', () => {
      const { secrets } = opened;
      const digest = secrets.digest(secrets.make());
      const changed = (place: number) =>
        `${digest.slice(0, place)}${digest[place] === 'A' ? 'B' : 'A'}${digest.slice(place + 1)}`;

      assert.equal(secrets.same(digest, `${digest}`), true);
      assert.equal(secrets.same('', ''), true);
      for (const other of [
        changed(0),
        changed(digest.length - 1),
        digest.slice(1),
        digest.slice(0, -1),
        `${digest}A`,
        '',
        digest.toLowerCase() === digest ? digest.toUpperCase() : digest.toLowerCase(),
      ]) {
        assert.equal(secrets.same(digest, other), false, `${digest} is not ${other}`);
        assert.equal(secrets.same(other, digest), false, `${other} is not ${digest}`);
      }
    });
  });
}
