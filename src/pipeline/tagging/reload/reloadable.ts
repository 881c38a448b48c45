/** What is reported of reloads. */
export interface ReloadEvents<Value> {
  /** A new one has taken the old one's place. */
  readonly onReloaded?: ((value: Value) => void) | undefined;
  /** The new one is bad, and the old one stays. */
  readonly onKept?: ((error: unknown) => void) | undefined;
}

/**
 * Something that is made anew on request, as a model is from its file. If that fails, what was there
 * stays. Nothing is held on to but the newest.
 *
 * @example
 * let count = 0;
 * const numbers = new Reloadable(count, () => (count += 1));
 * numbers.reload();
 * numbers.current // => 1
 */
export class Reloadable<Value> {
  readonly #make: () => Value;
  readonly #events: ReloadEvents<Value>;
  readonly #listeners = new Set<(value: Value) => void>();
  #current: Value;

  constructor(first: Value, make: () => Value, events: ReloadEvents<Value> = {}) {
    this.#make = make;
    this.#events = events;
    this.#current = first;
  }

  get current(): Value {
    return this.#current;
  }

  /** Reports each replacement from now on. Returns what ends that. */
  onNew(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Throws nothing of `make`: errors are reported. */
  reload(): void {
    let value: Value;
    try {
      value = this.#make();
    } catch (thrown) {
      this.#events.onKept?.(thrown);
      return;
    }
    this.#events.onReloaded?.(value);
    this.#current = value;
    for (const listener of this.#listeners) listener(value);
  }
}
