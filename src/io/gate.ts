import { TagstreamError } from '../core/errors.js';

/**
 * Flow control by credit: at most `budget` items are under way at a time.
 *
 * @example
 * const gate = new Gate(2);
 * gate.take();
 * gate.take();
 * gate.isFull // => true
 * gate.release();
 * gate.isFull // => false
 */
export class Gate {
  readonly #budget: number;
  #underWay = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  /**
   * @param budget in items
   * @throws TagstreamError `config` if it is below 1
   */
  constructor(budget: number) {
    if (!(budget >= 1)) {
      throw new TagstreamError('config', `a budget of ${budget} items`, { fix: 'give at least 1' });
    }
    this.#budget = budget;
  }

  /** Items taken and not yet released. */
  get underWay(): number {
    return this.#underWay;
  }

  get isFull(): boolean {
    return this.#underWay >= this.#budget && !this.#closed;
  }

  /** Resolves once there is room, or the gate is closed. One caller at a time. */
  opened(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise(resolve => {
      this.#wake = resolve;
    });
  }

  take(): void {
    this.#underWay += 1;
  }

  release(): void {
    this.#underWay -= 1;
    this.#wakeUp();
  }

  /** Nobody waits from now on. */
  close(): void {
    this.#closed = true;
    this.#wakeUp();
  }

  #wakeUp(): void {
    if (this.isFull) return;
    this.#wake?.();
    this.#wake = undefined;
  }
}
