import { LinearMemory } from '../memory/linear-memory.js';
import { instantiate } from '../simd/instantiate.js';

type NearestRowsFunction = (
  points: number,
  length: number,
  centres: number,
  offsets: number,
  count: number,
  width: number,
  best: number,
  scores: number,
) => void;

/** The nearest centre of each point. */
export interface Nearest {
  /** Index of the nearest centre of each point; valid until the next search. */
  readonly numbers: Int32Array;
  /** x c - |c|^2 / 2; the squared distance is |x|^2 minus twice this score. */
  readonly scores: Float32Array;
}

/**
 * Points for repeated nearest-centre searches; float32, in WebAssembly.
 *
 * Memory: 4 bytes per number; a search costs O(points * centres * dimensions).
 *
 * @example
 * const points = new NearestRows(Float32Array.of(0, 1, 5, 5), 2, 4);
 * [...points.search(Float32Array.of(4, 4, 0, 0), 2).numbers] // => [1, 0]
 */
export class NearestRows {
  readonly length: number;
  readonly #dimensions: number;
  readonly #width: number;
  readonly #mostCentres: number;
  readonly #memory = new LinearMemory();
  readonly #points: number;
  readonly #centres: number;
  readonly #offsets: number;
  readonly #best: number;
  readonly #scores: number;
  readonly #search: NearestRowsFunction;

  /**
   * @param points the points, one after the other, with `dimensions` numbers each
   * @param mostCentres maximum number of centres per search
   */
  constructor(points: Float32Array, dimensions: number, mostCentres: number) {
    const memory = this.#memory;
    this.length = points.length / dimensions;
    this.#dimensions = dimensions;
    this.#width = Math.ceil(dimensions / 4) * 4;
    this.#mostCentres = Math.ceil(mostCentres / 4) * 4;
    this.#points = memory.allocate(4 * this.#width * this.length);
    this.#centres = memory.allocate(4 * this.#width * this.#mostCentres);
    this.#offsets = memory.allocate(4 * this.#mostCentres);
    this.#best = memory.allocate(4 * this.length);
    this.#scores = memory.allocate(4 * this.length);
    this.#place(points, this.#points, this.length);
    this.#search = instantiate(memory.memory).nearestRows as NearestRowsFunction;
  }

  /** Finds the nearest of `count` centres for each point, the first one on ties. */
  search(centres: Float32Array, count: number): Nearest {
    const dimensions = this.#dimensions;
    const whole = Math.ceil(count / 4) * 4;
    this.#place(centres, this.#centres, count);
    const { buffer } = this.#memory;
    const offsets = new Float32Array(buffer, this.#offsets, whole);
    offsets.fill(Number.NEGATIVE_INFINITY, count);
    for (let c = 0; c < count; c += 1) {
      let square = 0;
      for (let i = c * dimensions; i < (c + 1) * dimensions; i += 1) square += centres[i]! ** 2;
      offsets[c] = -square / 2;
    }
    this.#search(
      ...([this.#points, this.length, this.#centres, this.#offsets] as const),
      ...([whole, this.#width, this.#best, this.#scores] as const),
    );
    return {
      numbers: new Int32Array(buffer, this.#best, this.length),
      scores: new Float32Array(buffer, this.#scores, this.length),
    };
  }

  /** Copies rows, padded to whole vectors. */
  #place(rows: Float32Array, to: number, count: number): void {
    const [dimensions, width] = [this.#dimensions, this.#width];
    const placed = new Float32Array(this.#memory.buffer, to, width * count);
    for (let row = 0; row < count; row += 1) {
      placed.set(rows.subarray(row * dimensions, (row + 1) * dimensions), row * width);
    }
  }
}
