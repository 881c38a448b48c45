/** Longest delay of a timer in milliseconds; a longer one would end at once. */
const longest = 2 ** 31 - 1;

/**
 * Watches over work that must not wait longer than some seconds, even if nothing more happens meanwhile: for what is
 * otherwise checked when the next item comes. Measures elapsed time, whatever happens to the clock of the machine.
 *
 * @example
 * const deadline = new Deadline(3600, () => {});
 * deadline.watch();
 * deadline.isOver // => false
 * deadline.stop()
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #onOver: () => void;
  #since = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param seconds time from the start, and from each call of `restart`; undefined: no limit
   * @param onOver called when the time is over, if there is work to watch over
   */
  constructor(seconds: number | undefined, onOver: () => void) {
    this.#milliseconds = (seconds ?? Number.POSITIVE_INFINITY) * 1000;
    this.#onOver = onOver;
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  get #left(): number {
    return this.#since + this.#milliseconds - performance.now();
  }

  /** Watches over work from now on, until the time is over. Does not keep a process alive. */
  watch(): void {
    if (this.#timer !== undefined || this.#milliseconds === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(0, Math.ceil(this.#left)), longest);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isOver) this.#onOver();
      else this.watch();
    }, delay);
    (this.#timer as { unref?(): void }).unref?.();
  }

  /** Lets the time begin again, without work to watch over. */
  restart(): void {
    this.stop();
    this.#since = performance.now();
  }

  /** Ends the watch. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
