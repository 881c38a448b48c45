import type { ContentTable } from '../fingerprints/content-table.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { PlannedVector } from './extraction-plan.js';
import { placeOf } from './place-of.js';

/** A dimension of a vector as a template, with the fingerprint of its feature. */
export interface VectorTemplate {
  readonly vector: PlannedVector;
  readonly lo: number;
  readonly hi: number;
}

/**
 * The features of one template `%vector`: one for each dimension, whose fingerprints are the same at all tokens and whose
 * values are the numbers of the vector of a token's word.
 */
export class VectorFeatures {
  /** Number of the template of the first dimension; those of the others follow. */
  readonly #first: number;
  readonly #vector: PlannedVector;
  /** Fingerprints by dimension, lo and hi in turn. */
  readonly #fingerprints: Uint32Array;

  /**
   * @param first number of the template of the first dimension
   * @param templates those of all dimensions, in their order
   */
  constructor(first: number, templates: readonly VectorTemplate[]) {
    this.#first = first;
    this.#vector = templates[0]!.vector;
    this.#fingerprints = Uint32Array.from(templates.flatMap(({ lo, hi }) => [lo, hi]));
  }

  /** Writes them and their values into their places; 0 where a token, or the place beside the sentence, has no vector. */
  write(table: ContentTable, list: FingerprintList, values: Float64Array): void {
    const { piece, list: vectors } = this.#vector;
    const { dimensions, numbers, steps } = vectors;
    const { length, templates } = list;
    const words = list.words();
    const contents = table.lo;
    const start = piece.atom * table.stride + table.margin;
    for (let t = 0; t < length; t += 1) {
      const at = placeOf(piece, t, length);
      const vector = (at < 0 || at >= length ? 0 : contents[start + at]!) - 1;
      const place = t * templates + this.#first;
      if (vector < 0) {
        words.fill(0, 2 * place, 2 * (place + dimensions));
        continue;
      }
      const step = steps[vector]!;
      const from = vector * dimensions;
      for (let d = 0; d < dimensions; d += 1) {
        const number = numbers[from + d]!;
        const isThere = number !== 0;
        words[2 * (place + d)] = isThere ? this.#fingerprints[2 * d]! : 0;
        words[2 * (place + d) + 1] = isThere ? this.#fingerprints[2 * d + 1]! : 0;
        values[place + d] = number * step;
      }
    }
  }
}
