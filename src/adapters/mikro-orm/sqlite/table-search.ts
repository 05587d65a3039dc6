import type { TableSearch } from '../session.ts';

/** Reading so many rows takes a few milliseconds. */
const ROWS_PER_WINDOW = 5_000;

/** Runs one of the statements of a search. */
type Run = (sql: string, values: readonly unknown[]) => unknown[];

/** Reads a search window by window. */
export class SearchInWindows {
  readonly #search: TableSearch<unknown>;
  readonly #run: Run;
  readonly rows: unknown[] = [];
  #start: number;
  #isDone = false;

  constructor(search: TableSearch<unknown>, run: Run) {
    this.#search = search;
    this.#run = run;
    this.#start = search.start;
  }

  /** Reads the next window. Returns whether the search is complete. */
  next(): boolean {
    if (this.#isDone) return true;
    const { rows, end, last, values, most } = this.#search;
    const [found] = this.#run(end, [this.#start, ROWS_PER_WINDOW - 1]) as { readonly id: number }[];
    const upTo = found?.id ?? last;
    this.rows.push(...this.#run(rows, [this.#start, upTo, ...values, most - this.rows.length]));
    this.#start = upTo;
    this.#isDone = found === undefined || this.rows.length === most;
    return this.#isDone;
  }
}
