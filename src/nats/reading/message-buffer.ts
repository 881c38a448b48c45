/**
 * A buffer between producers and one consumer of values.
 *
 * @example
 * const buffer = new MessageBuffer();
 * buffer.put('a');
 * buffer.end();
 * await buffer.take() // => ['a']
 * await buffer.take() // => []
 */
export class MessageBuffer<Value> {
  #values: Value[] = [];
  #ended = false;
  #failure: unknown;
  #wakeTaker = () => {};
  readonly #collectors = new Set<() => void>();

  get size(): number {
    return this.#values.length;
  }

  put(value: Value): void {
    this.#values.push(value);
    this.#wakeTaker();
  }

  /** Ends the input: once all values are taken, `take` ends or throws. */
  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    this.#wakeTaker();
    this.#wakeCollectors();
  }

  /** Waits for values and returns all of them; none at the end. */
  async take(): Promise<readonly Value[]> {
    while (this.#values.length === 0 && !this.#ended) {
      await new Promise<void>(resolve => {
        this.#wakeTaker = resolve;
      });
    }
    const values = this.#values;
    if (values.length === 0 && this.#failure !== undefined) throw this.#failure;
    this.#values = [];
    this.#wakeCollectors();
    return values;
  }

  /** Resolves when at most `size` values are left, or at the end. */
  async atMost(size: number): Promise<void> {
    while (this.size > size && !this.#ended) {
      await new Promise<void>(resolve => {
        this.#collectors.add(resolve);
      });
    }
  }

  #wakeCollectors(): void {
    for (const wake of this.#collectors) wake();
    this.#collectors.clear();
  }
}
