import { bisect } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { NearestRows } from '../../kernels/vectors/nearest-rows.js';
import type { WordVectors } from '../resources/resources.js';

/** Options of k-means clustering. */
export interface KMeansOptions {
  /** Numbers of clusters, each of which gives a result. */
  readonly sizes: readonly number[];
  /** Seed for drawing the first centres. */
  readonly seed?: number | undefined;
  /** Maximum number of passes through the words; default 20. */
  readonly passes?: number | undefined;
}

/** One clustering of the words. */
export interface KMeans {
  readonly clusters: number;
  /** Cluster of each word; clusters are numbered in the order of their first words. */
  readonly numbers: Uint32Array;
  /**
   * Mean squared distance of a word from its cluster's centre, from 0 to 1 as vectors have length
   * 1.
   */
  readonly distance: number;
  readonly passes: number;
}

/** Share of words: clustering stops when fewer words change their cluster. */
const settledShare = 0.001;

/** Maximum number of centres drawn at a time, as a share of their final number. */
const drawnShare = 1 / 32;

/**
 * Clusters words by their vectors, normalised to length 1, with k-means (Lloyd's algorithm). The first centres are drawn as in
 * k-means++, a few at a time, each with probability proportional to its squared distance from the centres so far. A cluster
 * that loses all of its words gets the word furthest from its centre.
 *
 * The same vectors and the same seed give the same clusters. Cost O(passes * words * clusters *
 * dimensions) per size, memory 12 bytes per vector component.
 *
 * @throws TagstreamError `config` if there are fewer words than clusters
 * @example
 * const values = Float32Array.of(1, 0, 0.9, 0.1, 0, 1, 0.1, 0.8);
 * const [two] = kMeans({ words: ['a', 'b', 'c', 'd'], dimensions: 2, values }, { sizes: [2] });
 * [...two.numbers] // => [0, 0, 1, 1]
 */
export function kMeans(vectors: WordVectors, options: KMeansOptions): KMeans[] {
  const { sizes, seed = 1, passes = 20 } = options;
  const { dimensions } = vectors;
  const most = Math.max(...sizes);
  if (vectors.words.length < most) {
    throw new TagstreamError(
      'config',
      `${vectors.words.length} words with vectors are too few for ${most} clusters`,
      { fix: 'read more words, or make fewer clusters' },
    );
  }
  const points = ofLengthOne(vectors);
  const rows = new NearestRows(points, dimensions, most);
  return sizes.map(size => {
    const search = new CentreSearch(points, dimensions, rows, size);
    search.draw(new Random(seed));
    return search.settle(passes);
  });
}

function ofLengthOne({ values, dimensions }: WordVectors): Float32Array {
  const points = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += dimensions) {
    let square = 0;
    for (let i = start; i < start + dimensions; i += 1) square += values[i]! ** 2;
    const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let i = start; i < start + dimensions; i += 1) points[i] = values[i]! * factor;
  }
  return points;
}

class CentreSearch {
  readonly #points: Float32Array;
  readonly #dimensions: number;
  readonly #rows: NearestRows;
  readonly #size: number;
  readonly #centres: Float32Array;

  constructor(points: Float32Array, dimensions: number, rows: NearestRows, size: number) {
    this.#points = points;
    this.#dimensions = dimensions;
    this.#rows = rows;
    this.#size = size;
    this.#centres = new Float32Array(size * dimensions);
  }

  /** Draws the first centres. */
  draw(random: Random): void {
    const { length } = this.#rows;
    const dimensions = this.#dimensions;
    const distances = new Float64Array(length).fill(1);
    const together = Math.max(1, Math.floor(this.#size * drawnShare));
    const sums = new Float64Array(length);
    for (let drawn = 0; drawn < this.#size; ) {
      const count = drawn === 0 ? 1 : Math.min(together, this.#size - drawn);
      let total = 0;
      for (let p = 0; p < length; p += 1) {
        total += distances[p]!;
        sums[p] = total;
      }
      const from = drawn;
      for (; drawn < from + count; drawn += 1) {
        // If all words lie on centres, any word may be drawn.
        const p = total > 0 ? placeIn(sums, random.uniform() * total) : random.below(length);
        const point = this.#points.subarray(p * dimensions, (p + 1) * dimensions);
        this.#centres.set(point, drawn * dimensions);
      }
      const fresh = this.#centres.subarray(from * dimensions, drawn * dimensions);
      const { scores } = this.#rows.search(fresh, count);
      for (let p = 0; p < length; p += 1) {
        const distance = Math.max(0, 1 - 2 * scores[p]!);
        if (from === 0 || distance < distances[p]!) distances[p] = distance;
      }
    }
  }

  settle(most: number): KMeans {
    const { length } = this.#rows;
    const numbers = new Uint32Array(length).fill(0xffffffff);
    let [passes, changed, distance] = [0, length, 0];
    while (passes < most && changed > settledShare * length) {
      const found = this.#rows.search(this.#centres, this.#size);
      changed = 0;
      distance = 0;
      for (let p = 0; p < length; p += 1) {
        if (numbers[p] !== found.numbers[p]) changed += 1;
        numbers[p] = found.numbers[p]!;
        distance += Math.max(0, 1 - 2 * found.scores[p]!);
      }
      changed += this.#fillEmpty(numbers, found.scores);
      this.#move(numbers);
      passes += 1;
    }
    return {
      ...{ clusters: this.#size, numbers: byFirstWord(numbers) },
      ...{ distance: distance / length, passes },
    };
  }

  /**
   * Assigns the word furthest from its centre to each cluster without words; returns the number of
   * such clusters.
   */
  #fillEmpty(numbers: Uint32Array, scores: Float32Array): number {
    const members = new Uint32Array(this.#size);
    for (const number of numbers) members[number]! += 1;
    let filled = 0;
    for (let cluster = 0; cluster < this.#size; cluster += 1) {
      if (members[cluster] !== 0) continue;
      let furthest = -1;
      for (let p = 0; p < scores.length; p += 1) {
        if (members[numbers[p]!]! < 2) continue;
        if (furthest < 0 || scores[p]! < scores[furthest]!) furthest = p;
      }
      members[numbers[furthest]!]! -= 1;
      numbers[furthest] = cluster;
      members[cluster] = 1;
      filled += 1;
    }
    return filled;
  }

  /** Moves each centre to the mean of its words. */
  #move(numbers: Uint32Array): void {
    const dimensions = this.#dimensions;
    const sums = new Float64Array(this.#centres.length);
    const members = new Uint32Array(this.#size);
    for (let p = 0; p < numbers.length; p += 1) {
      const to = numbers[p]! * dimensions;
      const from = p * dimensions;
      members[numbers[p]!]! += 1;
      for (let i = 0; i < dimensions; i += 1) sums[to + i]! += this.#points[from + i]!;
    }
    for (let i = 0; i < sums.length; i += 1) {
      this.#centres[i] = sums[i]! / members[Math.floor(i / dimensions)]!;
    }
  }
}

/** Returns the first index with a cumulative sum > `value`. */
function placeIn(sums: Float64Array, value: number): number {
  return bisect(0, sums.length - 1, place => sums[place]! <= value);
}

function byFirstWord(numbers: Uint32Array): Uint32Array {
  const renumbered = new Map<number, number>();
  return numbers.map(number => {
    const known = renumbered.get(number) ?? renumbered.size;
    renumbered.set(number, known);
    return known;
  });
}
