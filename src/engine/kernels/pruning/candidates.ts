import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { RealTable } from '../memory/real-table.js';
import { Region } from '../memory/region.js';

/** Limits that decide which labels of a token survive. */
export interface Pruning {
  /** Maximum number of labels per token. */
  readonly most: number;
  /** Minimum exp(score of a label - best score at the token). */
  readonly ratio: number;
}

/** The columns of each label: `columns[k]` for k in `[starts[y], starts[y + 1])`. */
export interface ColumnsOfLabels {
  readonly starts: readonly number[];
  readonly columns: readonly number[];
}

/** Number of spare elements that a kernel may read past the end: a vector. */
const spare = 2;

/**
 * The labels allowed at the tokens of pruned sentences: those whose score at the token, without transitions, is near the
 * best, and in training the gold label. All others score minus infinity; recursions run over lists of the remaining labels,
 * k per token instead of L. Mueller, Schmid and Schuetze (2013), Weiss and Taskar (2010).
 *
 * Token t of a pruned sentence has the entries `[starts[t], starts[t + 1])`, one per label, ascending. The pairs of its
 * labels with the previous token's labels are stored row by row, token after token, from `pairStarts[s]` on.
 */
export class Candidates {
  /** Whether any sentence of the batch is pruned. */
  isUsed = false;
  /** Whether all sentences are pruned. */
  isAll = false;
  /** `[entries]`: a kernel's forward and backward values, and exponentials of the scores. */
  readonly alpha: RealTable;
  readonly beta: RealTable;
  readonly exps: RealTable;
  /** `[pairs]`: marginals, which losses turn into residuals in place. */
  readonly pairs: RealTable;
  /** `[tokens]`: the kernel's scales. */
  readonly scales: RealTable;
  /** Number of gold labels kept despite pruning, and of pruned tokens, since the start. */
  kept = 0;
  tokens = 0;
  /** The table of the transition scores, and their factor. */
  transitions: RealTable;
  scale = 1;
  #pruned: Uint8Array = new Uint8Array(0);
  #pairStarts: Uint32Array | undefined;
  readonly #starts: Region;
  readonly #labels: Region;
  readonly #memory: LinearMemory;
  #tokens = 0;
  #room = 0;
  /** `[columns]`: the last token at which each occurred, and the columns of all tokens; scratch. */
  #marks = new Int32Array(0);
  readonly #found: number[] = [];

  constructor(memory: LinearMemory, transitions: RealTable) {
    const table = () => new RealTable(memory, 1, 'float64');
    this.#memory = memory;
    this.alpha = table();
    this.beta = table();
    this.exps = table();
    this.pairs = table();
    this.scales = table();
    this.#starts = new Region(memory);
    this.#labels = new Region(memory);
    this.transitions = transitions;
  }

  /** Offset of the starts, for kernels that take addresses. */
  get startsOffset(): number {
    return this.#starts.offset;
  }

  get labelsOffset(): number {
    return this.#labels.offset;
  }

  /** `[tokens + 1]`: starts of the entries, valid until memory grows. */
  get starts(): Uint32Array {
    return this.#starts.words(this.#tokens + 1);
  }

  /** `[entries]`: labels, valid until memory grows. */
  get labels(): Uint16Array {
    return new Uint16Array(this.#memory.buffer, this.#labels.offset, this.#room);
  }

  isPruned(s: number): boolean {
    return this.isUsed && this.#pruned[s] === 1;
  }

  /** Marks every sentence as unpruned. */
  close(): void {
    this.isUsed = false;
    this.isAll = false;
    this.#pairStarts = undefined;
  }

  /**
   * Chooses the sentences to prune, all but partially labelled ones and those that must keep all labels, and makes room for
   * their labels.
   *
   * @param whole 1 for each sentence that keeps all labels
   */
  open(labels: number, { most }: Pruning, batch: Minibatch, whole: Uint8Array | undefined): void {
    const { sentenceStarts, tokens, allowedStarts, gold } = batch;
    const count = sentenceStarts.length - 1;
    if (this.#pruned.length < count) this.#pruned = new Uint8Array(2 * count);
    let pruned = 0;
    for (let s = 0; s < count; s += 1) {
      const isPartial = allowedStarts !== undefined && gold[sentenceStarts[s]!] === -1;
      this.#pruned[s] = isPartial || whole?.[s] === 1 ? 0 : 1;
      pruned += this.#pruned[s]!;
    }
    this.isUsed = pruned > 0;
    this.isAll = pruned === count;
    this.#pairStarts = undefined;
    this.#tokens = tokens;
    this.#room = tokens * (Math.min(labels, most) + 1);
    this.#starts.reserve(4 * (tokens + 1));
    this.#labels.reserve(2 * this.#room);
  }

  /** Copies the labels from another lattice for the same batch. */
  take(other: Candidates): void {
    this.isUsed = other.isUsed;
    this.isAll = other.isAll;
    this.#pruned = other.#pruned;
    this.#pairStarts = undefined;
    this.#tokens = other.#tokens;
    this.#room = other.#room;
    this.#starts.reserve(4 * (this.#tokens + 1));
    this.#labels.reserve(2 * this.#room);
    this.starts.set(other.starts);
    this.labels.set(other.labels);
  }

  /**
   * Keeps for each token the columns of the labels that survive in another lattice for the same batch.
   *
   * @param columns number of columns
   */
  takeColumns(other: Candidates, parts: ColumnsOfLabels, columns: number): void {
    this.isUsed = other.isUsed;
    this.isAll = other.isAll;
    this.#pruned = other.#pruned;
    this.#pairStarts = undefined;
    this.#tokens = other.#tokens;
    if (this.#marks.length < columns) this.#marks = new Int32Array(columns);
    const marks = this.#marks.fill(-1);
    const found = this.#found;
    found.length = 0;
    this.#starts.reserve(4 * (this.#tokens + 1));
    const { starts: from, labels } = other;
    const { starts } = this;
    for (let t = 0; t < this.#tokens; t += 1) {
      const first = found.length;
      starts[t] = first;
      for (let i = from[t]!; i < from[t + 1]!; i += 1) {
        const y = labels[i]!;
        for (let k = parts.starts[y]!; k < parts.starts[y + 1]!; k += 1) {
          const column = parts.columns[k]!;
          if (marks[column] === t) continue;
          marks[column] = t;
          // Insertion sort: each column goes before larger ones.
          let at = found.length;
          for (; at > first && found[at - 1]! > column; at -= 1) found[at] = found[at - 1]!;
          found[at] = column;
        }
      }
    }
    starts[this.#tokens] = found.length;
    this.#room = found.length;
    this.#labels.reserve(2 * found.length);
    this.labels.set(found);
  }

  /** Makes room for vectors over the remaining labels. */
  openVectors(): void {
    const entries = this.starts[this.#tokens]! + spare;
    this.alpha.reserve(entries);
    this.beta.reserve(entries);
    this.exps.reserve(entries);
    this.scales.reserve(this.#tokens);
  }

  /** Returns where each sentence's pairs begin, after making room for them. */
  pairStarts(batch: Minibatch): Uint32Array {
    if (this.#pairStarts !== undefined) return this.#pairStarts;
    const { sentenceStarts } = batch;
    const { starts } = this;
    const count = sentenceStarts.length - 1;
    const found = new Uint32Array(count + 1);
    for (let s = 0; s < count; s += 1) {
      let pairs = 0;
      for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
        pairs += (starts[t]! - starts[t - 1]!) * (starts[t + 1]! - starts[t]!);
      }
      found[s + 1] = found[s]! + pairs;
    }
    this.pairs.reserve(found[count]! + spare);
    this.#pairStarts = found;
    return found;
  }

  /** Returns the index of a label's entry among the token's entries; -1 if it was pruned. */
  entryOf(t: number, label: number): number {
    const { starts, labels } = this;
    for (let i = starts[t]!; i < starts[t + 1]!; i += 1)
      if (labels[i] === label) return i - starts[t]!;
    return -1;
  }

  /** Transition scores, to be multiplied by `scale`; valid until memory grows. */
  get transitionScores(): Reals {
    return this.transitions.view;
  }
}
