import type { CompactFeatures } from '../../core/minibatch/minibatch.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { CompressedRows } from '../store/compressed-rows.js';

/**
 * Copies the state features of some tokens into the memory of compressed rows: for each token its dense
 * rows, followed by the single pairs of all other features, which avoids short loops over labels.
 */
export function placeFeatures(
  compressed: CompressedRows,
  { starts, rows, values }: PackedRows,
): Omit<CompactFeatures, 'firstRows'> {
  const { memory, denseRows } = compressed;
  const numbers = compressed.numbering();
  const tokens = starts.length - 1;
  let denseCount = 0;
  let pairCount = 0;
  for (let k = starts[0]!; k < starts[tokens]!; k += 1) {
    const number = numbers[rows[k]!]!;
    if (denseRows[number]! >= 0) denseCount += 1;
    else pairCount += compressed.starts[number + 1]! - compressed.starts[number]!;
  }
  const hasValues = values !== undefined;
  const places = {
    dense: placesFor(memory, tokens, denseCount, hasValues),
    pairs: {
      ...placesFor(memory, tokens, pairCount, hasValues),
      labels: memory.allocate(2 * compressed.size),
    },
  };
  // Views are taken after the last allocation, since each one would invalidate them.
  const dense = new Placed(memory, places.dense, tokens, denseCount);
  const pairs = new Placed(memory, places.pairs, tokens, pairCount);
  new Uint16Array(memory.buffer, places.pairs.labels, compressed.size).set(compressed.labels);
  for (let t = 0; t < tokens; t += 1) {
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const number = numbers[rows[k]!]!;
      const value = values === undefined ? 1 : values[k]!;
      if (denseRows[number]! >= 0) {
        dense.add(denseRows[number]!, value);
        continue;
      }
      const end = compressed.starts[number + 1]!;
      for (let pair = compressed.starts[number]!; pair < end; pair += 1) {
        pairs.add(pair, value);
      }
    }
    dense.end(t);
    pairs.end(t);
  }
  return places;
}

/** Offsets of the tokens' numbers. */
interface Places {
  readonly starts: number;
  readonly rows: number;
  /** Offset of the values; 0 if all are 1. */
  readonly values: number;
}

function placesFor(
  memory: LinearMemory,
  tokens: number,
  count: number,
  hasValues: boolean,
): Places {
  return {
    starts: memory.allocate(4 * (tokens + 1)),
    rows: memory.allocate(4 * count),
    values: hasValues ? memory.allocate(8 * count) : 0,
  };
}

/** Writes compressed rows, token by token, in place. */
class Placed {
  readonly #starts: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #values: Float64Array | undefined;
  count = 0;

  constructor(
    { buffer }: LinearMemory,
    { starts, rows, values }: Places,
    tokens: number,
    count: number,
  ) {
    this.#starts = new Uint32Array(buffer, starts, tokens + 1);
    this.#numbers = new Uint32Array(buffer, rows, count);
    this.#values = values === 0 ? undefined : new Float64Array(buffer, values, count);
  }

  add(number: number, value: number): void {
    this.#numbers[this.count] = number;
    if (this.#values !== undefined) this.#values[this.count] = value;
    this.count += 1;
  }

  /** Ends the features of token `t`. */
  end(t: number): void {
    this.#starts[t + 1] = this.count;
  }
}
