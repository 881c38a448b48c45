import { TagstreamError } from '../../core/errors.js';
import { grown } from '../../core/grown.js';

/** Labels have a place of 16 bits. */
const mostLabels = 2 ** 16;

/**
 * The pairs of state features and labels that may have a weight, where weights are stored for these alone: row `r` has
 * the places `[starts[r], starts[r + 1])` of a state table, each with its label, ascending.
 *
 * Pairs are added while a corpus is read, in a chain for each row; `close` puts them in their order. Memory is 10 bytes a
 * pair until then, 2 from then on, and 4 a row.
 */
export class StatePairs {
  #starts: Uint32Array | undefined;
  #labels: Uint16Array = new Uint16Array(64);
  #heads: Int32Array = new Int32Array(0);
  #next: Int32Array = new Int32Array(64);
  #size = 0;

  /** Places of a state table. */
  get size(): number {
    return this.isClosed ? this.#labels.length : 0;
  }

  /** Whether all pairs are known. */
  get isClosed(): boolean {
    return this.#starts !== undefined;
  }

  /**
   * `[rows + 1]` where the places of each row begin.
   *
   * @throws TagstreamError `config` before the pairs are closed
   */
  get starts(): Uint32Array {
    if (this.#starts === undefined) throw open();
    return this.#starts;
  }

  /** The label of each place. */
  get labels(): Uint16Array {
    if (this.#starts === undefined) throw open();
    return this.#labels;
  }

  /** Adds a pair while the corpus is read; pairs that are known by then stay all. Cost: the row's chain. */
  add(row: number, label: number): void {
    if (this.isClosed) return;
    if (row >= this.#heads.length) {
      this.#heads = grown(this.#heads, new Int32Array(Math.max(row + 1, 2 * this.#heads.length)));
    }
    let last = 0;
    for (let slot = this.#heads[row]!; slot !== 0; slot = this.#next[slot - 1]!) {
      if (this.#labels[slot - 1] === label) return;
      last = slot;
    }
    if (label >= mostLabels) throw tooManyLabels();
    if (this.#size === this.#labels.length) {
      this.#labels = grown(this.#labels, new Uint16Array(2 * this.#size));
      this.#next = grown(this.#next, new Int32Array(2 * this.#size));
    }
    this.#labels[this.#size] = label;
    this.#next[this.#size] = 0;
    this.#size += 1;
    if (last === 0) this.#heads[row] = this.#size;
    else this.#next[last - 1] = this.#size;
  }

  /** Puts the pairs of `rows` rows in their order; there will be no more. */
  close(rows: number): void {
    if (this.isClosed) return;
    const starts = new Uint32Array(rows + 1);
    const labels = new Uint16Array(this.#size);
    let at = 0;
    for (let row = 0; row < rows; row += 1) {
      for (let slot = this.#heads[row] ?? 0; slot !== 0; slot = this.#next[slot - 1]!) {
        labels[at] = this.#labels[slot - 1]!;
        at += 1;
      }
      starts[row + 1] = at;
      if (at - starts[row]! > 1) labels.subarray(starts[row], at).sort();
    }
    this.restore(starts, labels);
  }

  /** The pairs as they are known from elsewhere. */
  restore(starts: Uint32Array, labels: Uint16Array): void {
    this.#starts = starts;
    this.#labels = labels;
    this.#heads = new Int32Array(0);
    this.#next = new Int32Array(0);
  }

  /** Has the pairs of another store, if these are closed. */
  take(other: StatePairs): void {
    if (other.isClosed) this.restore(other.starts, other.labels);
  }

  /** Place of a pair, or -1. Cost O(log of the row's pairs). */
  find(row: number, label: number): number {
    const { starts, labels } = this;
    let from = starts[row]!;
    let to = starts[row + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (labels[middle]! < label) from = middle + 1;
      else to = middle;
    }
    return from < starts[row + 1]! && labels[from] === label ? from : -1;
  }
}

function open(): TagstreamError {
  return new TagstreamError(
    'config',
    'compressed weights need all pairs of features and labels before the first update',
    {
      fix: 'train in passes over a corpus, with epochs, or leave compressed out',
    },
  );
}

function tooManyLabels(): TagstreamError {
  return new TagstreamError('too-large', `compressed weights have room for ${mostLabels} labels`, {
    fix: 'leave compressed out, or join rare labels',
  });
}
