import type { LinearSpace } from './linear-space.js';
import {
  type DualSequence,
  goldSequence,
  type MarginSpace,
  sparseProduct,
} from './margin-space.js';

/**
 * All sentences of a space as a single one: its label sequences are those of the whole corpus. The optimum is the same,
 * as the sentences do not depend on each other, and a sequence is a plane below the summed losses. Memory: that of the
 * space, and for each sequence what it differs in from the gold one.
 */
export class CorpusSpace implements MarginSpace {
  readonly size = 1;
  readonly #space: LinearSpace;
  readonly #gold: Int32Array;

  constructor(space: LinearSpace) {
    this.#space = space;
    this.#gold = joinedLabels(Array.from({ length: space.size }, (_, i) => space.gold(i)));
  }

  gold(): Int32Array {
    return this.#gold;
  }

  worst(): DualSequence {
    return this.#summed(i => this.#space.worst(i));
  }

  sequence(_: number, labels: Int32Array): DualSequence {
    let from = 0;
    return this.#summed(i => {
      const { length } = this.#space.gold(i);
      from += length;
      return this.#space.sequence(i, labels.slice(from - length, from));
    });
  }

  #summed(partOf: (i: number) => DualSequence): DualSequence {
    const parts = Array.from({ length: this.#space.size }, (_, i) => partOf(i));
    const cost = parts.reduce((sum, part) => sum + part.cost, 0);
    if (cost === 0) return goldSequence(this.#gold);
    const sums = new Map<number, number>();
    for (const { places, values } of parts) {
      for (const [k, place] of places.entries()) {
        sums.set(place, (sums.get(place) ?? 0) + values[k]!);
      }
    }
    const places = Uint32Array.from(sums.keys()).sort();
    const values = Float64Array.from(places, place => sums.get(place)!);
    return { labels: joinedLabels(parts.map(({ labels }) => labels)), cost, places, values };
  }

  score(y: DualSequence): number {
    return this.#space.score(y);
  }

  product(_: number, y: DualSequence, z: DualSequence): number {
    return sparseProduct(y, z);
  }

  move(sequences: readonly DualSequence[], amounts: Float64Array): void {
    this.#space.move(sequences, amounts);
  }

  clear(): void {
    this.#space.clear();
  }

  squaredNorm(): number {
    return this.#space.squaredNorm();
  }

  primal(): number {
    return this.#space.primal();
  }

  get active(): number {
    return this.#space.active;
  }

  settle(): void {
    this.#space.settle();
  }
}

function joinedLabels(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    all.set(part, from);
    from += part.length;
  }
  return all;
}
