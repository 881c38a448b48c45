import { BehaviorSubject, type Observable } from 'rxjs';

/** What is told of reloads. */
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
  readonly #versions: BehaviorSubject<Value>;

  constructor(first: Value, make: () => Value, events: ReloadEvents<Value> = {}) {
    this.#make = make;
    this.#events = events;
    this.#versions = new BehaviorSubject(first);
  }

  /** The newest, and each that takes its place. Never ends. */
  get versions(): Observable<Value> {
    return this.#versions;
  }

  get current(): Value {
    return this.#versions.value;
  }

  /** Throws nothing of `make`: what is wrong is told. */
  reload(): void {
    let value: Value;
    try {
      value = this.#make();
    } catch (thrown) {
      this.#events.onKept?.(thrown);
      return;
    }
    this.#events.onReloaded?.(value);
    this.#versions.next(value);
  }
}
