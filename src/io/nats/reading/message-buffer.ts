/**
 * Values between those who collect and one who takes them.
 *
 * @example
 * const buffer = new MessageBuffer();
 * buffer.put('a');
 * buffer.end();
 * await buffer.take() // => 'a'
 * await buffer.take() // => undefined
 */
export class MessageBuffer<Value> {
  #values: Value[] = [];
  #next = 0;
  #ended = false;
  #failure: unknown;
  #wakeTaker = () => {};
  readonly #collectors = new Set<() => void>();

  get size(): number {
    return this.#values.length - this.#next;
  }

  put(value: Value): void {
    this.#values.push(value);
    this.#wakeTaker();
  }

  /** Nothing more comes: taking ends, or throws, when all before is taken. */
  end(failure?: unknown): void {
    this.#ended = true;
    this.#failure = failure;
    this.#wakeTaker();
    this.#wakeCollectors();
  }

  /** The next value; undefined when there is none any more. */
  async take(): Promise<Value | undefined> {
    while (this.size === 0 && !this.#ended) {
      await new Promise<void>(resolve => {
        this.#wakeTaker = resolve;
      });
    }
    if (this.size === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      return undefined;
    }
    const value = this.#values[this.#next]!;
    this.#next += 1;
    if (this.size === 0) {
      this.#values = [];
      this.#next = 0;
    }
    this.#wakeCollectors();
    return value;
  }

  /** Resolves when at most so many values are left, or at the end. */
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
