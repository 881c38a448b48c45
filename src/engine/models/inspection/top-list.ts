import { bisect } from '../../core/arrays.js';
/** A number with its weight. */
export interface Ranked {
  readonly key: number;
  readonly weight: number;
}

/**
 * The keys of the largest weights in absolute value, ties going to the first. Cost per offer: usually
 * one comparison, otherwise O(length of the list).
 *
 * @example
 * const top = new TopList(2);
 * [3, -5, 1, 4].forEach((weight, key) => top.offer(key, weight));
 * top.ranked // => [{ key: 1, weight: -5 }, { key: 3, weight: 4 }]
 */
export class TopList {
  readonly #limit: number;
  readonly #ranked: Ranked[] = [];
  #least = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keys of the largest weights so far, largest first. */
  get ranked(): readonly Ranked[] {
    return this.#ranked;
  }

  /** Absolute value that a weight must exceed to be accepted. */
  get least(): number {
    return this.#least;
  }

  offer(key: number, weight: number): void {
    const size = Math.abs(weight);
    if (size <= this.#least) return;
    const ranked = this.#ranked;
    const place = bisect(0, ranked.length, i => Math.abs(ranked[i]!.weight) >= size);
    ranked.splice(place, 0, { key, weight });
    if (ranked.length > this.#limit) ranked.pop();
    if (ranked.length >= this.#limit) this.#least = Math.abs(ranked.at(-1)?.weight ?? Infinity);
  }
}
