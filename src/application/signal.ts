/** Tells its listeners that something has changed, within one process. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    // Each subscription counts by itself, also of the same function.
    const call = () => listener();
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
