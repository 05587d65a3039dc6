import type { Answer, Client } from './client.ts';

interface Kept {
  readonly target: string;
  /** The request headers that Vary named, with their values. */
  readonly selecting: readonly (readonly [name: string, value: string | undefined])[];
  readonly answer: Answer;
}

type RequestHeaders = Readonly<Record<string, string>>;

/**
 * As much of a shared cache as RFC 9111 allows to do harm: it keeps what it may keep (section 3), for every client whose request
 * Vary does not tell apart (4.1), and serves it without asking unless a response forbids that (5.2.2).
 */
export class SharedCache {
  readonly #origin: Client;
  #entries: readonly Kept[] = [];
  #confirmed = 0;

  constructor(origin: Client) {
    this.#origin = origin;
  }

  /** How many responses it stores. */
  get kept(): number {
    return this.#entries.length;
  }

  /** How many were served after the origin had confirmed them. */
  get confirmed(): number {
    return this.#confirmed;
  }

  async get<Body>(target: string, headers: RequestHeaders = {}): Promise<Answer<Body>> {
    const entry = this.#entries.find((kept) => kept.target === target && isSelected(kept, headers));
    if (entry && !directivesOf(entry.answer).has('no-cache')) return entry.answer as Answer<Body>;

    const tag = entry?.answer.header('etag');
    const answer = await this.#origin.get<Body>(target, {
      ...headers,
      ...(tag !== undefined && { 'If-None-Match': tag }),
    });
    if (entry && answer.status === 304 && answer.header('etag') === tag) {
      this.#confirmed += 1;
      return entry.answer as Answer<Body>;
    }
    this.#entries = this.#entries.filter((kept) => kept !== entry);
    if (mayBeKept(answer, headers)) {
      const names = listOf(answer.header('vary'));
      const selecting = names.map((name) => [name, headerIn(headers, name)] as const);
      this.#entries = [...this.#entries, { target, selecting, answer }];
    }
    return answer;
  }
}

function isSelected({ selecting }: Kept, headers: RequestHeaders): boolean {
  return selecting.every(([name, value]) => headerIn(headers, name) === value);
}

function mayBeKept(answer: Answer, headers: RequestHeaders): boolean {
  const directives = directivesOf(answer);
  if (answer.status >= 500 || directives.has('private') || directives.has('no-store')) return false;
  return headerIn(headers, 'authorization') === undefined || directives.has('public');
}

function directivesOf(answer: Answer): ReadonlySet<string> {
  return new Set(listOf(answer.header('cache-control')));
}

function listOf(value = ''): string[] {
  return value.split(',').flatMap((item) => item.trim().toLowerCase() || []);
}

function headerIn(headers: RequestHeaders, name: string): string | undefined {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
}
