/*
 * Finds the regular expressions of a program, and those among them that backtrack without end: a text on which such a one fails may take
 * time by the power of its length.
 */

/** Strings, comments, words and single characters, in so far as they tell where a regular expression may begin. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[\p{L}\p{N}_$#]+|\s+|[^\p{L}\p{N}_$#\s]/uy;
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/y;
/** Behind these a slash begins a regular expression; behind any other word, a number or a bracket that closes, it divides. */
const BEFORE_VALUE = /^(?:return|typeof|case|in|of|yield|await|void|delete|throw|new|else|do)$/;

/** Every regular expression that is written out in a program of TypeScript. */
export function patternsIn(program: string): RegExp[] {
  const text = program.replace(/^#!.*/, '');
  const found: RegExp[] = [];
  /** How many braces are open since each `${` of a template that is not at its end. */
  const templates: number[] = [];
  let before = '';
  let at = 0;

  const skipTemplate = () => {
    for (; at < text.length; at++) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '`') break;
      else if (text.startsWith('${', at)) {
        templates.push(0);
        at += 1;
        before = '{';
        break;
      }
    }
    if (text[at] === '`') before = ')';
    at += 1;
  };

  while (at < text.length) {
    LITERAL.lastIndex = at;
    const literal = mayBeginValue(before) && !/^\/[/*]/.test(text.slice(at, at + 2)) ? LITERAL.exec(text) : null;
    if (literal) {
      found.push(new RegExp(literal[1] as string, literal[2]));
      at = LITERAL.lastIndex;
      before = ')';
      continue;
    }
    TOKEN.lastIndex = at;
    const [token = ''] = TOKEN.exec(text) ?? [];
    at += Math.max(token.length, 1);
    if (token === '`') skipTemplate();
    else if (token === '}' && templates.at(-1) === 0) {
      templates.pop();
      skipTemplate();
    } else if (!/^\s|^\/[/*]/.test(token)) {
      const open = templates.length - 1;
      if (open >= 0 && token === '{') templates[open] = (templates[open] as number) + 1;
      if (open >= 0 && token === '}') templates[open] = (templates[open] as number) - 1;
      before = token;
    }
  }
  return found;
}

function mayBeginValue(before: string): boolean {
  return /^[\p{L}\p{N}_$#]/u.test(before) ? BEFORE_VALUE.test(before) : !/^[)\]}'"]/.test(before);
}

type Node =
  | { readonly kind: 'characters'; readonly set: bigint }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

/** One character of each kind that patterns tell apart. */
const ALPHABET = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u0085\u00a0\u00adéßı\u0301\u200b\u2003\u2028\u3000\ufeff犬ﬁＡ\ud800',
  '\u{1f436}',
];

/**
 * Whether a pattern can match some text in more and more ways, the longer it is: then a backtracking engine tries them all where the text
 * fails at its end. Exact but for counted repetitions beyond four, which are taken for endless ones. @throws what it cannot read
 */
export function backtracksWithoutEnd({ source, flags }: RegExp): boolean {
  const reader = new Reader(source, flags.replace(/[gy]/g, ''));
  return [reader.choice(), ...reader.lookarounds].some((node) => new Automaton(node).isAmbiguous);
}

class Reader {
  /** What is looked for before or behind a place, each a pattern by itself. */
  readonly lookarounds: Node[] = [];
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y)) parts.push(this.#sequence());
    return { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string)) parts.push(this.#term());
    return { kind: 'sequence', parts };
  }

  #term(): Node {
    const part = this.#atom();
    const [, sign, least, comma, most] = this.#take(/([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y) ?? [];
    if (sign) return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    if (least === undefined) return part;
    return { kind: 'repeat', part, least: +least, most: most ? +most : comma ? Infinity : +least };
  }

  #atom(): Node {
    const nothing: Node = { kind: 'sequence', parts: [] };
    if (this.#take(/\^|\$|\\[bB]/y)) return nothing;
    const group = this.#take(/\((?:\?(?::|<?[=!]|<\w+>))?/y);
    if (group) {
      const inner = this.choice();
      if (!this.#take(/\)/y)) throw new Error(`A group does not end: ${this.#source}`);
      if (!/[=!]/.test(group[0])) return inner;
      this.lookarounds.push(inner);
      return nothing;
    }
    const [characters] =
      this.#take(/\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^1-9k]|[^\\()[\]]/iuy) ?? [];
    if (characters === undefined) throw new Error(`Not understood at ${this.#at}: ${this.#source}`);
    const one = new RegExp(`^(?:${characters})$`, this.#flags);
    return {
      kind: 'characters',
      set: ALPHABET.reduce((set, character, i) => (one.test(character) ? set | (1n << BigInt(i)) : set), 0n),
    };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }
}

interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly mayBeEmpty: boolean;
}

/** Glushkov's automaton: a state for each place of the pattern that takes a character. */
class Automaton {
  readonly #sets: bigint[] = [];
  readonly #after: Set<number>[] = [];
  /** Steps that can be taken in two ways, such as the one from a to a in (a*)*. */
  readonly #doubled: [number, number][] = [];

  constructor(node: Node) {
    this.#build(node);
  }

  get isAmbiguous(): boolean {
    return (
      this.#doubled.some(([from, to]) => this.#reachable([to, to]).has(this.#key(from, from))) ||
      this.#sets.some((_, state) =>
        [...this.#reachable([state, state])].some((key) => {
          const [a, b] = [Math.floor(key / this.#sets.length), key % this.#sets.length];
          return a !== b && this.#reachable([a, b]).has(this.#key(state, state));
        }),
      )
    );
  }

  #key(a: number, b: number): number {
    return a * this.#sets.length + b;
  }

  /** The pairs of states in which two readers of the same text may be, who begin in these two. */
  #reachable(begin: readonly [number, number]): Set<number> {
    const found = new Set<number>();
    const open = [begin];
    for (const [a, b] of open) {
      for (const x of this.#after[a] as Set<number>) {
        for (const y of this.#after[b] as Set<number>) {
          if (found.has(this.#key(x, y)) || ((this.#sets[x] as bigint) & (this.#sets[y] as bigint)) === 0n) continue;
          found.add(this.#key(x, y));
          open.push([x, y]);
        }
      }
    }
    return found;
  }

  #build(node: Node): Part {
    switch (node.kind) {
      case 'characters': {
        const state = this.#sets.push(node.set) - 1;
        this.#after.push(new Set());
        return { first: [state], last: [state], mayBeEmpty: false };
      }
      case 'choice': {
        const parts = node.parts.map((part) => this.#build(part));
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          mayBeEmpty: parts.some(({ mayBeEmpty }) => mayBeEmpty),
        };
      }
      case 'sequence':
        return this.#inSequence(node.parts.map((part) => this.#build(part)));
      case 'repeat': {
        const { part, least, most } = node;
        const exact = least === most && most <= 4 ? most : 1;
        const whole = this.#inSequence(Array.from({ length: exact }, () => this.#build(part)));
        if (most > exact) this.#join(whole, whole);
        return least === 0 ? { ...whole, mayBeEmpty: true } : whole;
      }
    }
  }

  #inSequence(parts: readonly Part[]): Part {
    return parts.reduce<Part>(
      (before, next) => {
        this.#join(before, next);
        return {
          first: before.mayBeEmpty ? [...before.first, ...next.first] : before.first,
          last: next.mayBeEmpty ? [...before.last, ...next.last] : next.last,
          mayBeEmpty: before.mayBeEmpty && next.mayBeEmpty,
        };
      },
      { first: [], last: [], mayBeEmpty: true },
    );
  }

  #join({ last }: Part, { first }: Part): void {
    for (const from of last) {
      for (const to of first) {
        const after = this.#after[from] as Set<number>;
        if (after.has(to)) this.#doubled.push([from, to]);
        after.add(to);
      }
    }
  }
}
