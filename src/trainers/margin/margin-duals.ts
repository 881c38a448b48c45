import { wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { MarginSpace } from './margin-space.js';
import { SentenceDual } from './sentence-dual.js';

/**
 * The dual of max-margin training, over a distribution a_i of label sequences for each sentence of a space:
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 */
export class MarginDuals {
  readonly of: readonly SentenceDual[];
  readonly #space: MarginSpace;

  constructor(space: MarginSpace) {
    this.#space = space;
    this.of = Array.from({ length: space.size }, (_, i) => new SentenceDual(space, i));
  }

  /** D(a). */
  value(l2: number): number {
    return this.of.reduce((sum, { cost }) => sum + cost, 0) - l2 * this.#space.squaredNorm();
  }

  /** Makes w that of the dual variables, so that rounding does not add up. */
  settle(l2: number): void {
    this.#space.clear();
    for (const { sequences, alphas } of this.of) {
      this.#space.move(
        sequences,
        Float64Array.from(alphas, alpha => -alpha / (2 * l2)),
      );
    }
  }

  save(): Pick<State, 'arrays'> {
    const all = this.of.flatMap(({ sequences }) => sequences);
    const labels = new Int32Array(all.reduce((sum, each) => sum + each.labels.length, 0));
    let from = 0;
    for (const each of all) {
      labels.set(each.labels, from);
      from += each.labels.length;
    }
    const counts = Int32Array.from(this.of, ({ sequences }) => sequences.length);
    const alphas = Float64Array.from(this.of.flatMap(each => each.alphas));
    return { arrays: { counts, labels, alphas } };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit the corpus */
  restore({ arrays: { counts, labels, alphas } }: State): void {
    if (!(counts instanceof Int32Array && labels instanceof Int32Array)) throw inconsistent();
    if (!(alphas instanceof Float64Array) || counts.length !== this.of.length) throw inconsistent();
    let from = 0;
    let next = 0;
    for (const [i, dual] of this.of.entries()) {
      const { length } = this.#space.gold(i);
      const count = counts[i]!;
      if (!(count > 0 && labels.length >= from + count * length)) throw inconsistent();
      const own = Array.from({ length: count }, (_, k) =>
        labels.slice(from + k * length, from + (k + 1) * length),
      );
      dual.restore(own, [...alphas.subarray(next, next + count)]);
      from += count * length;
      next += count;
    }
    if (from !== labels.length || next !== alphas.length) throw inconsistent();
  }
}

function inconsistent() {
  return wrongState('the label sequences are not those of the corpus');
}
