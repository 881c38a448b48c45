import { grown } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';

/** Maximum length of a row that is searched linearly. */
const longest = 24;

/** Maximum number of labels, which are stored in 16 bits. */
const mostLabels = 2 ** 16;

/**
 * The pairs of state features and labels that may have a weight, if weights are stored only for these: row `r` has the
 * places `[starts[r], starts[r + 1])` of a state table, each with its label, ascending.
 *
 * While a corpus is read, pairs are added to one chain per row; `close` sorts them. Memory: 10 bytes per pair until
 * then, 2 afterwards, and 4 per row.
 */
export class StatePairs {
  #starts: Uint32Array | undefined;
  #labels: Uint16Array = new Uint16Array(64);
  /** Last slot of each row, counted from 1; negative if the row's labels are marked. */
  #heads: Int32Array = new Int32Array(0);
  readonly #noted = new Map<number, Uint8Array>();
  #next: Int32Array = new Int32Array(64);
  #size = 0;

  /** Number of places in a state table. */
  get size(): number {
    return this.isClosed ? this.#labels.length : 0;
  }

  /** Number of pairs so far. */
  get known(): number {
    return this.isClosed ? this.#labels.length : this.#size;
  }

  /** Whether the pairs are complete. */
  get isClosed(): boolean {
    return this.#starts !== undefined;
  }

  /**
   * `[rows + 1]`: where the places of each row begin.
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

  /** Adds a pair while the corpus is read, unless it is known. Cost O(1). */
  add(row: number, label: number): void {
    if (this.isClosed) return;
    if (row >= this.#heads.length) {
      this.#heads = grown(this.#heads, new Int32Array(Math.max(row + 1, 2 * this.#heads.length)));
    }
    if (label >= mostLabels) throw tooManyLabels();
    const head = this.#heads[row]!;
    if (head < 0 ? !this.#note(row, label) : this.#has(row, label)) return;
    if (this.#size === this.#labels.length) {
      this.#labels = grown(this.#labels, new Uint16Array(2 * this.#size));
      this.#next = grown(this.#next, new Int32Array(2 * this.#size));
    }
    this.#labels[this.#size] = label;
    this.#next[this.#size] = Math.abs(head);
    this.#size += 1;
    this.#heads[row] = this.#heads[row]! < 0 ? -this.#size : this.#size;
  }

  /** Returns whether a chain has a label; a long chain gets a byte per label, so that it is walked only once. */
  #has(row: number, label: number): boolean {
    let length = 0;
    for (let slot = this.#heads[row]!; slot !== 0; slot = this.#next[slot - 1]!) {
      if (this.#labels[slot - 1] === label) return true;
      length += 1;
    }
    if (length < longest) return false;
    this.#noted.set(row, new Uint8Array(0));
    for (let slot = this.#heads[row]!; slot !== 0; slot = this.#next[slot - 1]!) {
      this.#note(row, this.#labels[slot - 1]!);
    }
    this.#heads[row] = -this.#heads[row]!;
    return !this.#note(row, label);
  }

  /** Marks a label of a row with a long chain; returns false if it was marked already. */
  #note(row: number, label: number): boolean {
    let noted = this.#noted.get(row)!;
    if (label >= noted.length) {
      noted = grown(noted, new Uint8Array(Math.max(label + 1, 2 * noted.length)));
      this.#noted.set(row, noted);
    }
    if (noted[label] === 1) return false;
    noted[label] = 1;
    return true;
  }

  /** Sorts the pairs of `rows` rows; no pairs can be added afterwards. */
  close(rows: number): void {
    if (this.isClosed) return;
    const starts = new Uint32Array(rows + 1);
    const labels = new Uint16Array(this.#size);
    let at = 0;
    for (let row = 0; row < rows; row += 1) {
      for (let slot = Math.abs(this.#heads[row] ?? 0); slot !== 0; slot = this.#next[slot - 1]!) {
        labels[at] = this.#labels[slot - 1]!;
        at += 1;
      }
      starts[row + 1] = at;
      if (at - starts[row]! > 1) labels.subarray(starts[row], at).sort();
    }
    this.restore(starts, labels);
  }

  /** Restores saved pairs. */
  restore(starts: Uint32Array, labels: Uint16Array): void {
    this.#starts = starts;
    this.#labels = labels;
    this.#heads = new Int32Array(0);
    this.#next = new Int32Array(0);
    this.#noted.clear();
  }

  /** Takes over the pairs of another store, if they are closed. */
  take(other: StatePairs): void {
    if (other.isClosed) this.restore(other.starts, other.labels);
  }

  /** Returns the place of a pair, or -1. Cost O(log of the row's pairs). */
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
    { fix: 'train in passes over a corpus, with epochs, or leave compressed out' },
  );
}

function tooManyLabels(): TagstreamError {
  return new TagstreamError(
    'too-large',
    `compressed weights have room for at most ${mostLabels} labels`,
    {
      fix: 'leave compressed out, or merge rare labels',
    },
  );
}
