/** Maximum length of a run before it is split: runs stay short enough to shift, and few enough to search. */
const LONGEST_RUN = 1024;

/** A sorted list, stored in runs, so that insertion and removal move at most one run. */
export class SortedList<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  /** In order; none is empty. */
  readonly #runs: Item[][] = [];

  /** `compare` must not find two items of the list equal. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  add(item: Item): void {
    const at = this.#runFor(item);
    const run = this.#runs[at];
    if (!run) {
      this.#runs.push([item]);
      return;
    }
    run.splice(this.#countBefore(run, item), 0, item);
    if (run.length > LONGEST_RUN) this.#runs.splice(at + 1, 0, run.splice(LONGEST_RUN / 2));
  }

  remove(item: Item): void {
    const at = this.#runFor(item);
    const run = this.#runs[at] ?? [];
    const place = this.#countBefore(run, item);
    const found = run[place];
    if (found === undefined || this.#compare(found, item) !== 0) return;
    run.splice(place, 1);
    if (run.length === 0) this.#runs.splice(at, 1);
  }

  /** The items after `after`, or all, in ascending order. `after` need not be in the list. */
  *ascending(after?: Item): Generator<Item> {
    let at = after === undefined ? 0 : this.#runFor(after);
    let place = after === undefined ? 0 : countLeading(this.#runs[at] ?? [], (item) => this.#compare(item, after) <= 0);
    for (; at < this.#runs.length; at++, place = 0) {
      const run = this.#runs[at] ?? [];
      for (; place < run.length; place++) yield run[place] as Item;
    }
  }

  /** The items before `after`, or all, in descending order. `after` need not be in the list. */
  *descending(after?: Item): Generator<Item> {
    let at = after === undefined ? this.#runs.length - 1 : this.#runFor(after);
    let run = this.#runs[at] ?? [];
    let place = after === undefined ? run.length : this.#countBefore(run, after);
    while (at >= 0) {
      while (place > 0) yield run[--place] as Item;
      run = this.#runs[--at] ?? [];
      place = run.length;
    }
  }

  /** The index of the run that contains `item` or would contain it: the last run whose first item is not greater. */
  #runFor(item: Item): number {
    return Math.max(0, countLeading(this.#runs, ([first]) => this.#compare(first as Item, item) <= 0) - 1);
  }

  #countBefore(run: readonly Item[], item: Item): number {
    return countLeading(run, (other) => this.#compare(other, item) < 0);
  }
}

/** The number of leading items of `list` for which `holds` is true. It must be false for every later item (binary search). */
function countLeading<Item>(list: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
