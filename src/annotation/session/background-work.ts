/** Milliseconds that a piece of work may keep requests waiting, about. */
const slice = 4;

/** Milliseconds after which work begins: the answer to a request is on its way then. */
const pause = 2;

/**
 * Work that nobody waits for: it is done in small pieces between requests, in the order in which it was added.
 *
 * `finish` does all that is left of what is short, so that what is done next does not depend on how much time there was.
 * What is long comes after it, and is never waited for.
 */
export class BackgroundWork {
  readonly #left: Iterator<void>[] = [];
  readonly #long: Iterator<void>[] = [];
  readonly #onError: (thrown: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onError receives what a piece throws; the rest of its work is left out */
  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** @param work each of its steps is a piece, of some milliseconds at most */
  add(work: Iterable<void>): void {
    this.#begin(this.#left, work);
  }

  /** The same with work that takes too long to be waited for. */
  addLong(work: Iterable<void>): void {
    this.#begin(this.#long, work);
  }

  finish(): void {
    while (this.#left.length > 0) this.#step(this.#left);
  }

  close(): void {
    this.#left.length = 0;
    this.#long.length = 0;
    clearTimeout(this.#timer);
  }

  #begin(works: Iterator<void>[], work: Iterable<void>): void {
    works.push(work[Symbol.iterator]());
    this.#timer ??= setTimeout(() => this.#run(), pause).unref();
  }

  #run(): void {
    const end = performance.now() + slice;
    while (this.#next !== undefined && performance.now() < end) this.#step(this.#next);
    this.#timer = this.#next === undefined ? undefined : setTimeout(() => this.#run(), 0).unref();
  }

  get #next(): Iterator<void>[] | undefined {
    if (this.#left.length > 0) return this.#left;
    return this.#long.length > 0 ? this.#long : undefined;
  }

  #step(works: Iterator<void>[]): void {
    try {
      if (works[0]!.next().done === true) works.shift();
    } catch (thrown) {
      works.shift();
      this.#onError(thrown);
    }
  }
}
