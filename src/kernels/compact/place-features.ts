import type { CompactFeatures } from '../../core/minibatch/minibatch.js';
import type { PackedRows } from '../../core/minibatch/pack-rows.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { CompressedRows } from '../store/compressed-rows.js';

/**
 * Copies the state features of some tokens into the memory of compressed rows, which have all of them: of
 * each token its dense rows, and the pairs of all others, one by one, so that no loop over a few labels has
 * to be entered.
 */
export function placeFeatures(
  compressed: CompressedRows,
  { starts, rows, values }: PackedRows,
): Omit<CompactFeatures, 'firstToken'> {
  const { memory, denseRows, numbers } = compressed;
  const tokens = starts.length - 1;
  let denseCount = 0;
  let pairCount = 0;
  for (let k = starts[0]!; k < starts[tokens]!; k += 1) {
    const number = numbers[rows[k]!]!;
    if (denseRows[number]! >= 0) denseCount += 1;
    else pairCount += compressed.starts[number + 1]! - compressed.starts[number]!;
  }
  const dense = new Placed(tokens, denseCount, values !== undefined);
  const pairs = new Placed(tokens, pairCount, values !== undefined);
  const labels = new Uint32Array(pairCount);
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
        labels[pairs.count] = compressed.labels[pair]!;
        pairs.add(pair, value);
      }
    }
    dense.end(t);
    pairs.end(t);
  }
  return {
    dense: dense.place(memory),
    pairs: { ...pairs.place(memory), labels: copied(memory, labels) },
  };
}

/** Numbers of tokens in compressed rows, until they are copied into a memory. */
class Placed {
  readonly #starts: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #values: Float64Array | undefined;
  count = 0;

  constructor(tokens: number, count: number, hasValues: boolean) {
    this.#starts = new Uint32Array(tokens + 1);
    this.#numbers = new Uint32Array(count);
    this.#values = hasValues ? new Float64Array(count) : undefined;
  }

  add(number: number, value: number): void {
    this.#numbers[this.count] = number;
    if (this.#values !== undefined) this.#values[this.count] = value;
    this.count += 1;
  }

  /** Token `t` has no more. */
  end(t: number): void {
    this.#starts[t + 1] = this.count;
  }

  place(memory: LinearMemory) {
    return {
      starts: copied(memory, this.#starts),
      rows: copied(memory, this.#numbers),
      values: this.#values === undefined ? 0 : copied(memory, this.#values),
    };
  }
}

function copied(memory: LinearMemory, numbers: Uint32Array | Float64Array): number {
  const offset = memory.allocate(numbers.byteLength);
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  new Uint8Array(memory.buffer, offset, bytes.length).set(bytes);
  return offset;
}
