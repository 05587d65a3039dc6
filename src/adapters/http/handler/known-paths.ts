import { distance } from 'fastest-levenshtein';

/** A longer path is not compared: a client must not control the cost of its request. */
const MAX_LENGTH = 100;
const MAX_NAMED = 3;
/** The number of letters that may differ, if the path is long enough. */
const MAX_TYPOS = 2;

/** The served paths. Suggests those that the client of an unknown path may have meant. */
export class KnownPaths {
  readonly #basePath: string;
  readonly #paths: readonly string[];

  /** `paths` are those that the service serves, with `{name}` for a parameter and with the base path where they have one. */
  constructor(paths: Iterable<string>, basePath: string) {
    this.#paths = [...new Set(paths)].sort((a, b) => a.length - b.length);
    this.#basePath = basePath;
  }

  /** At most three, the nearest first; none if no path is near. */
  near(path: string): readonly string[] {
    if (path.length > MAX_LENGTH) return [];
    const wanted = normalized(path);
    const base = this.#basePath;
    // Pages have no base path; all other paths have it.
    const candidates = [wanted, normalized(base + path)];
    if (base !== '' && path.startsWith(base)) candidates.push(normalized(path.slice(base.length)));
    const typos = Math.min(MAX_TYPOS, Math.floor(wanted.length / 4));
    const byDistance = this.#paths
      .map((known) => ({ known, typos: Math.min(...candidates.map((candidate) => typosBetween(candidate, known))) }))
      .filter((found) => found.typos <= typos)
      .sort((a, b) => a.typos - b.typos);
    const nearest = byDistance.filter((found) => found.typos === byDistance[0]?.typos).map(({ known }) => known);
    const found = nearest.length > 0 ? nearest : this.#paths.filter((known) => isBeginning(candidates, known));
    return found.slice(0, MAX_NAMED);
  }
}

/** Without differences in case, and without doubled or trailing slashes. */
function normalized(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
}

function typosBetween(path: string, known: string): number {
  const [given, expected] = [path.split('/'), known.toLowerCase().split('/')];
  if (given.length !== expected.length) return Number.POSITIVE_INFINITY;
  // A parameter matches any segment in its place.
  const filled = expected.map((segment, i) => (segment.startsWith('{') && given[i] ? given[i] : segment)).join('/');
  return Math.abs(filled.length - path.length) > MAX_TYPOS ? Number.POSITIVE_INFINITY : distance(path, filled);
}

function isBeginning(candidates: readonly string[], known: string): boolean {
  return candidates.some((path) => path.length >= 4 && known.toLowerCase().startsWith(path) && !known.includes('{'));
}
