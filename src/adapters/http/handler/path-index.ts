/** Something that is served under a path. */
export interface PathEntry {
  /** With `{name}` for a parameter. */
  readonly path: string;
  /** In upper case; none if the path is taken but not served, so that no template matches it. */
  readonly methods: readonly string[];
}

export interface Match<Entry> {
  readonly entry: Entry;
  /** The parameters of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

interface Template<Entry> {
  readonly entry: Entry;
  /** The parts of its path; `undefined` where a parameter is. */
  readonly segments: readonly (string | undefined)[];
  /** The names of the parameters, in the places where they are. */
  readonly names: readonly (string | undefined)[];
}

const NO_PARAMS = {};

/**
 * Finds the entry for a path: by the whole path if the entry has no parameter (a concrete path precedes a template,
 * OpenAPI 3.0.3, Paths Object), and otherwise by its segments. One index serves every transport, so that they cannot differ.
 */
export class PathIndex<Entry extends PathEntry> {
  readonly #concrete = new Map<string, Entry[]>();
  readonly #templates = new Map<number, Template<Entry>[]>();

  constructor(entries: Iterable<Entry>) {
    for (const entry of entries) {
      const parts = entry.path.split('/');
      const names = parts.map((part) => (part.startsWith('{') ? part.slice(1, -1) : undefined));
      if (names.every((name) => name === undefined)) add(this.#concrete, entry.path, entry);
      else {
        const segments = parts.map((part, i) => (names[i] === undefined ? part : undefined));
        add(this.#templates, parts.length, { entry, segments, names });
      }
    }
  }

  /** `path` is decoded, except for slashes. */
  find(method: string, path: string): Match<Entry> | undefined {
    const concrete = this.#concrete.get(path);
    if (concrete) {
      const entry = concrete.find(({ methods }) => methods.includes(method));
      return entry && { entry, params: NO_PARAMS };
    }
    const segments = path.split('/');
    for (const template of this.#templates.get(segments.length) ?? []) {
      if (template.entry.methods.includes(method) && fits(template, segments)) {
        return { entry: template.entry, params: paramsIn(template, segments) };
      }
    }
    return undefined;
  }

  /** Every method that the path supports. */
  methodsOf(path: string): readonly string[] {
    const segments = path.split('/');
    const entries =
      this.#concrete.get(path) ??
      (this.#templates.get(segments.length) ?? [])
        .filter((template) => fits(template, segments))
        .map(({ entry }) => entry);
    return [...new Set(entries.flatMap(({ methods }) => methods))];
  }
}

function fits({ segments }: Template<unknown>, given: readonly string[]): boolean {
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i];
    if (segment === undefined ? given[i] === '' : segment !== given[i]) return false;
  }
  return true;
}

function paramsIn({ names }: Template<unknown>, given: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (name !== undefined) params[name] = given[i] as string;
  }
  return params;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
