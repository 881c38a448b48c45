import type { Lattice } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { Support } from '../store/support.js';
import type { SimdExports } from './simd-exports.js';

/** Number of bytes in the head of lists; see assembly/inference/sparse-lists.ts. */
const headBytes = 32;

/**
 * Lists of the active transitions of a lattice's scores, for the sums of forward-backward or the maxima of
 * Viterbi. They are recreated when the scores change, and only if they pay off.
 */
export class TransitionLists {
  /** Whether there are lists for the current scores. */
  active = false;
  /** Number of entries in the lists by target. */
  entries = 0;
  readonly #bytes: 4 | 8;
  readonly #kept: Region;
  readonly #room: Region;
  readonly #blocks: Region;
  #keptShape = '';
  #form = '';
  #support: Support | undefined;
  #supportChanges = -1;
  #supportShape = '';
  #allPairs = true;
  #backward = 0;
  /** Address of the free memory after the lists. */
  #rest = 0;
  #transposed = 0;
  #incoming = 0;

  constructor(memory: LinearMemory, bytes: 4 | 8) {
    this.#bytes = bytes;
    this.#kept = new Region(memory);
    this.#room = new Region(memory);
    this.#blocks = new Region(memory);
  }

  /** Address of the lists by target. */
  get forward(): number {
    return this.#room.offset;
  }

  /** Address of the lists by source for sums; for maxima, of the columns with transitions below 0. */
  get backward(): number {
    return this.#room.offset + this.#backward;
  }

  /** Address of the matrix by target, if the lists need it. */
  get transposed(): number {
    return this.#room.offset + this.#transposed;
  }

  /** Address of each label's possible predecessors, for maxima. */
  get incoming(): number {
    return this.#room.offset + this.#incoming;
  }

  /** Returns whether the lattice's transition scores equal those of the last call; keeps a copy for the next. */
  isCurrent(run: SimdExports, lattice: Lattice): boolean {
    const { labels, width, matrixSize, transitionScores, transitionForm } = lattice;
    const bytes = matrixSize * this.#bytes;
    const shape = `${labels} ${width} ${matrixSize}`;
    const same =
      shape === this.#keptShape &&
      transitionForm === this.#form &&
      run.sameBits(this.#kept.offset, transitionScores.offset, bytes) !== 0;
    if (same) return true;
    this.#kept.reserve(bytes);
    run.copyScaled(this.#kept.offset, transitionScores.offset, matrixSize, 1);
    this.#keptShape = shape;
    this.#form = transitionForm;
    return false;
  }

  /** Lists the exponentials for sums, if lists pay off. */
  listSums(run: SimdExports, lattice: Lattice): void {
    this.active = this.#pays(run, lattice, 'sums');
    if (!this.active) return;
    const { labels, width, transitionMaximum, expTransitions, expTransposed } = lattice;
    this.#lay(run, labels, width);
    const lists = (head: number, matrix: number) =>
      run.listSums(
        head,
        head + headBytes,
        this.#room.offset + this.#rest,
        matrix,
        transitionMaximum,
        labels,
        width,
      );
    this.entries = lists(this.forward, expTransitions.offset);
    lists(this.backward, expTransposed.offset);
  }

  /** Lists the scores for maxima, if lists pay off. */
  listMaxima(run: SimdExports, lattice: Lattice): void {
    this.active = this.#pays(run, lattice, 'maxima');
    if (!this.active) return;
    const { labels, width, transitionScores } = lattice;
    this.#lay(run, labels, width);
    const { forward, backward } = this;
    const rest = this.#room.offset + this.#rest;
    const scores = transitionScores.offset;
    this.entries = run.listMaxima(forward, forward + headBytes, rest, scores, labels, width);
    const targets = backward + 4 * (labels + 1);
    run.listNegatives(backward, targets, forward, scores, labels, width);
    this.#transposed = this.#rest;
    run.transpose(rest, scores, labels, width, Number.NEGATIVE_INFINITY);
    this.#incoming = this.#rest + labels * width * this.#bytes;
    const entries = this.incoming + aligned(4 * (labels + 1));
    run.listIncoming(this.incoming, entries, forward, rest, labels, width);
  }

  /** Returns the address of the list of matrix vectors that may hold weights; 0 if most vectors may. */
  blocksOf(lattice: Lattice): number {
    const { support, labels, width } = lattice;
    if (support === undefined) return 0;
    const shape = `${labels} ${width}`;
    const current =
      support === this.#support &&
      support.changes === this.#supportChanges &&
      shape === this.#supportShape;
    if (!current) {
      this.#support = support;
      this.#supportChanges = support.changes;
      this.#supportShape = shape;
      this.#listBlocks(support, labels, width);
    }
    return this.#allPairs ? 0 : this.#blocks.offset;
  }

  #listBlocks({ transitions }: Support, labels: number, width: number): void {
    const lanes = 16 / this.#bytes;
    // Four, two and one vector of a row at a time; see assembly/inference/sum-blocks.ts.
    const [fours, twos, ones] = [[] as number[], [] as number[], [] as number[]];
    let found = 0;
    for (let from = 0; from < labels; from += 1) {
      const places: number[] = [];
      for (let column = 0; column < width; column += lanes) {
        const at = from * width + column;
        if (transitions.subarray(at, at + lanes).includes(1)) places.push(column * this.#bytes);
      }
      found += places.length;
      let next = 0;
      for (; next + 4 <= places.length; next += 4) {
        fours.push(from, ...places.slice(next, next + 4));
      }
      for (; next + 2 <= places.length; next += 2) {
        twos.push(from, ...places.slice(next, next + 2));
      }
      if (next < places.length) ones.push(from, places[next]!);
    }
    const words = [fours.length / 5, twos.length / 3, ones.length / 2, ...fours, ...twos, ...ones];
    this.#allPairs = found > 0.7 * labels * (width / lanes);
    if (!this.#allPairs) this.#blocks.write(Uint32Array.from(words));
  }

  /** Depends on the scores alone: results must not depend on the rest of the batch or on earlier batches. */
  #pays(run: SimdExports, lattice: Lattice, kind: ListKind['kind']): boolean {
    const { transitionForm, labels, width, transitionScores } = lattice;
    if (transitionForm !== 'auto') return transitionForm === 'sparse';
    const limit = mostEntries({ kind, bytes: this.#bytes }, labels);
    const { offset } = transitionScores;
    if (limit < 0 || run.isDense(offset, labels, width, limit) !== 0) return false;
    // If most transitions are forbidden, the lists contain the allowed ones.
    const active = run.countNonZeros(offset, labels, width);
    return Math.min(active, run.countFinite(offset, labels, width)) <= limit;
  }

  /** Makes room for two lists, followed by scratch or by a transposed matrix and its entries. */
  #lay(run: SimdExports, labels: number, width: number): void {
    const listBytes = aligned(headBytes + run.listBytes(labels, width));
    const negatives = aligned(4 * (labels + 1 + labels ** 2));
    this.#backward = listBytes;
    this.#rest = listBytes + Math.max(listBytes, negatives);
    this.#room.reserve(
      this.#rest + aligned(4 * (labels + 1)) + 3 * labels * width * this.#bytes + 128,
    );
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}

/**
 * Minimum number of labels, and maximum share of all pairs, for which lists are faster than vectors.
 */
const limits = {
  sums: { 4: { labels: 16, share: 0.14 }, 8: { labels: 16, share: 0.32 } },
  maxima: { 4: { labels: 32, share: 0.08 }, 8: { labels: 20, share: 0.12 } },
} as const;

/** The purpose of lists, and the number of bytes per value. */
interface ListKind {
  readonly kind: 'sums' | 'maxima';
  readonly bytes: 4 | 8;
}

/** Returns the number of labels below which lists never pay off. */
export function fewestLabels({ kind, bytes }: ListKind): number {
  return limits[kind][bytes].labels;
}

/**
 * Returns the maximum number of entries for which lists are assumed to be faster than vectors over all
 * transitions; below 0 if they never are. It is lower than measured with lists made once per batch (see the
 * kernels' page), because recreating them for each sentence takes time: 8 microseconds for 50 labels. Sums in
 * float64 belong to batch optimizers, which make lists once per pass over the corpus.
 */
function mostEntries(wanted: ListKind, labels: number): number {
  if (labels < fewestLabels(wanted)) return -1;
  return Math.floor(limits[wanted.kind][wanted.bytes].share * labels ** 2);
}
