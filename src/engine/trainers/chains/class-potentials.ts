import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** The nonzero weights of an edge feature. */
interface ActiveWeights {
  /** Indices into a `[labels x labels]` matrix. */
  readonly cells: Uint32Array;
  readonly weights: Float64Array;
}

/**
 * Sums the weights of edge features, in blocks or single pairs, for the label pairs that have any. A feature's nonzero
 * weights are cached until forgotten.
 */
class EdgeScores {
  /**
   * Number of label pairs with a score, `cells[0..count)`, in the order in which features add them.
   */
  count = 0;
  readonly cells: Uint32Array;
  /** `[labels x labels]`: the scores of the pairs in `cells`. */
  readonly sums: Float64Array;
  readonly #store: ParameterStore;
  readonly #labels: number;
  readonly #rows = new Map<number, ActiveWeights>();
  /** The last sum to which each cell belonged. */
  readonly #marks: Uint32Array;
  #mark = 0;
  /** Buffer for the weights of a feature. */
  readonly #foundCells: Uint32Array;
  readonly #found: Float64Array;

  constructor(store: ParameterStore) {
    this.#store = store;
    this.#labels = store.labels;
    const size = store.labels * store.labels;
    this.cells = new Uint32Array(size);
    this.sums = new Float64Array(size);
    this.#marks = new Uint32Array(size);
    this.#foundCells = new Uint32Array(size);
    this.#found = new Float64Array(size);
  }

  /** Drops all cached weights; call when any may have changed. */
  forget(): void {
    this.#rows.clear();
  }

  /** Drops the cached weights of one feature; call when they may have changed. */
  forgetRow(row: number): void {
    this.#rows.delete(row);
  }

  /** Starts a sum with the plain transitions. */
  begin(): void {
    this.count = 0;
    this.#mark += 1;
    if (this.#mark === 2 ** 32) {
      this.#marks.fill(0);
      this.#mark = 1;
    }
    this.add(0, 1);
  }

  /** Adds the weights of a feature. Cost O(its nonzero weights). */
  add(row: number, value: number): void {
    let active = this.#rows.get(row);
    if (active === undefined) {
      active = this.#activeOf(row);
      this.#rows.set(row, active);
    }
    const { cells, weights } = active;
    for (let k = 0; k < cells.length; k += 1) {
      const cell = cells[k]!;
      if (this.#marks[cell] !== this.#mark) {
        this.#marks[cell] = this.#mark;
        this.cells[this.count] = cell;
        this.count += 1;
        this.sums[cell] = 0;
      }
      this.sums[cell]! += value * weights[k]!;
    }
  }

  #activeOf(row: number): ActiveWeights {
    const { hasEdgeBlocks, pairs, weights, width, matrixSize } = this.#store;
    const labels = this.#labels;
    const cells = this.#foundCells;
    const found = this.#found;
    let n = 0;
    if (row > 0 && !hasEdgeBlocks) {
      const table = weights.pairs.view;
      for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!) {
        if (table[slot] === 0) continue;
        cells[n] = pairs.from[slot]! * labels + pairs.to[slot]!;
        found[n] = table[slot]!;
        n += 1;
      }
    } else {
      const table = weights.edges.view;
      for (let from = 0; from < labels; from += 1) {
        const at = row * matrixSize + from * width;
        for (let y = 0; y < labels; y += 1) {
          if (table[at + y] === 0) continue;
          cells[n] = from * labels + y;
          found[n] = table[at + y]!;
          n += 1;
        }
      }
    }
    return { cells: cells.slice(0, n), weights: found.slice(0, n) };
  }
}

/**
 * Maximum size of a score for which recursions over potentials neither underflow nor overflow: each forward value is
 * then at least exp(-4 * 100) of the largest.
 */
const mostScore = 100;
/** Share of label pairs with a score from which a class is stored as a matrix. */
const dense = 1 / 4;
/** Maximum number of values in transition lists and matrices: 128 MiB. */
const mostNumbers = 2 ** 24;

/** exp(score) of a class's label pairs with a score; for all other pairs it is 1. */
export interface ActivePairs {
  readonly count: number;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly exps: Float64Array;
}

/**
 * Exponentials of the token classes' emission and transition scores under the current weights, computed once for all
 * tokens of a class.
 *
 * If few transitions have a score, exp(a(y', y)) = 1 + M(y', y) with a sparse M; Sokolovska, Lavergne,
 * Cappe and Yvon (2010), eq. 9.
 */
export class ClassPotentials {
  readonly labels: number;
  /** `[classes x labels]`: exp of the emission scores. */
  readonly states: Float64Array;
  /** The active pairs of each transition class, if they are few. */
  readonly active: (ActivePairs | undefined)[] = [];
  readonly #matrices: (Float64Array | undefined)[] = [];
  readonly #store: ParameterStore;
  readonly #stateClasses: TokenClasses;
  readonly #edgeClasses: TokenClasses;
  readonly #scores: EdgeScores;
  readonly #unsafeStates: Uint8Array;
  readonly #unsafeEdges: Uint8Array;
  #unsafe = 0;
  /** Number of values in lists and matrices. */
  #size = 0;
  /** The active pairs of class `#expanded` as a matrix, with ones elsewhere. */
  readonly #matrix: Float64Array;
  #expanded: ActivePairs | undefined;

  constructor(store: ParameterStore, states: TokenClasses, edges: TokenClasses) {
    this.labels = store.labels;
    this.#store = store;
    this.#stateClasses = states;
    this.#edgeClasses = edges;
    this.#scores = new EdgeScores(store);
    this.states = new Float64Array(states.count * this.labels);
    this.#matrix = new Float64Array(this.labels * this.labels).fill(1);
    this.#unsafeStates = new Uint8Array(states.count);
    this.#unsafeEdges = new Uint8Array(edges.count);
  }

  /** Whether the potentials fit into memory and recursions over them keep their precision. */
  get areSafe(): boolean {
    return this.#unsafe === 0 && this.#size <= mostNumbers;
  }

  /**
   * Returns `[labels x labels]`, exp of a class's transition scores; valid until the next call. Cost O(active pairs).
   */
  edges(c: number): Float64Array {
    const matrix = this.#matrices[c];
    if (matrix !== undefined) return matrix;
    const pairs = this.active[c]!;
    if (pairs === this.#expanded) return this.#matrix;
    this.#collapse();
    const { count, from, to, exps } = pairs;
    for (let k = 0; k < count; k += 1) this.#matrix[from[k]! * this.labels + to[k]!] = exps[k]!;
    this.#expanded = pairs;
    return this.#matrix;
  }

  /** Returns exp of a single transition score. Cost O(active pairs), without building a matrix. */
  edge(c: number, before: number, label: number): number {
    const matrix = this.#matrices[c];
    if (matrix !== undefined) return matrix[before * this.labels + label]!;
    const { count, from, to, exps } = this.active[c]!;
    for (let k = 0; k < count; k += 1) if (from[k] === before && to[k] === label) return exps[k]!;
    return 1;
  }

  /** Recomputes everything. */
  refresh(): void {
    for (let c = 0; c < this.#stateClasses.count; c += 1) this.refreshState(c);
    this.refreshEdges();
  }

  /** Recomputes all transitions. */
  refreshEdges(): void {
    this.#scores.forget();
    for (let c = 0; c < this.#edgeClasses.count; c += 1) this.#refreshEdge(c);
  }

  /** Recomputes a class's emissions. Cost O(features of the class * L). */
  refreshState(c: number): void {
    const { labels, states } = this;
    const { starts, rows, values } = this.#stateClasses;
    const { width, weights } = this.#store;
    const table = weights.state.view;
    const at = c * labels;
    states.fill(0, at, at + labels);
    for (let k = starts[c]!; k < starts[c + 1]!; k += 1) {
      const row = rows[k]! * width;
      const value = values[k]!;
      for (let y = 0; y < labels; y += 1) states[at + y]! += value * table[row + y]!;
    }
    let most = 0;
    for (let y = at; y < at + labels; y += 1) {
      const score = states[y]!;
      most = Math.max(most, Math.abs(score));
      states[y] = score === 0 ? 1 : Math.exp(score);
    }
    this.#note(this.#unsafeStates, c, most);
  }

  /**
   * Recomputes the transitions of classes with one of the edge features `rows`. Cost O(the features' weights + the
   * classes' active pairs).
   */
  refreshEdgesOf(rows: Iterable<number>, classes: Iterable<number>): void {
    for (const row of rows) this.#scores.forgetRow(row);
    for (const c of classes) this.#refreshEdge(c);
  }

  #refreshEdge(c: number): void {
    this.#collapse();
    const { labels } = this;
    const scores = this.#scores;
    const { starts, rows, values } = this.#edgeClasses;
    scores.begin();
    for (let k = starts[c]!; k < starts[c + 1]!; k += 1) scores.add(rows[k]!, values[k]!);
    const { count, cells, sums } = scores;
    const isDense = count > dense * labels * labels;
    const matrix = isDense ? this.#matrixOf(c) : undefined;
    const pairs = isDense ? undefined : this.#pairsOf(c, count);
    let most = 0;
    for (let k = 0; k < count; k += 1) {
      const cell = cells[k]!;
      const score = sums[cell]!;
      most = Math.max(most, Math.abs(score));
      const e = score === 0 ? 1 : Math.exp(score);
      if (matrix !== undefined) {
        matrix[cell] = e;
      } else {
        pairs!.from[k] = (cell / labels) | 0;
        pairs!.to[k] = cell % labels;
        pairs!.exps[k] = e;
      }
    }
    this.#note(this.#unsafeEdges, c, most);
  }

  /** Returns the matrix of a class, filled with ones; drops its list. */
  #matrixOf(c: number): Float64Array {
    this.#size -= this.active[c]?.exps.length ?? 0;
    this.active[c] = undefined;
    const known = this.#matrices[c];
    if (known !== undefined) return known.fill(1);
    const matrix = new Float64Array(this.labels * this.labels).fill(1);
    this.#matrices[c] = matrix;
    this.#size += matrix.length;
    return matrix;
  }

  /** Allocates a list for a number of pairs of a class; drops its matrix. */
  #pairsOf(c: number, count: number): ActivePairs {
    this.#size -= this.#matrices[c]?.length ?? 0;
    this.#matrices[c] = undefined;
    const known = this.active[c];
    let pairs: ActivePairs;
    if (known !== undefined && known.exps.length >= count && known.exps.length <= 2 * count + 16) {
      pairs = { ...known, count };
    } else {
      const room = count + (count >> 2);
      pairs = {
        count,
        from: new Uint16Array(room),
        to: new Uint16Array(room),
        exps: new Float64Array(room),
      };
      this.#size += room - (known?.exps.length ?? 0);
    }
    this.active[c] = pairs;
    return pairs;
  }

  #collapse(): void {
    if (this.#expanded === undefined) return;
    const { count, from, to } = this.#expanded;
    for (let k = 0; k < count; k += 1) this.#matrix[from[k]! * this.labels + to[k]!] = 1;
    this.#expanded = undefined;
  }

  #note(unsafe: Uint8Array, c: number, most: number): void {
    const isUnsafe = most <= mostScore ? 0 : 1;
    this.#unsafe += isUnsafe - unsafe[c]!;
    unsafe[c] = isUnsafe;
  }
}

/**
 * The tokens of a corpus, grouped by their features of one kind: a class's tokens have the same features with the same
 * values.
 */
export interface TokenClasses {
  /** Number of classes; class 0 has no feature. */
  readonly count: number;
  /** Class of each token of the corpus. */
  readonly of: Uint32Array;
  /** Class `c` has the features `[starts[c], starts[c + 1])`. */
  readonly starts: readonly number[];
  readonly rows: readonly number[];
  readonly values: readonly number[];
}

/**
 * Groups the tokens of a corpus by their features. Edge features of a sentence's first token, into which there is no
 * transition, are ignored. Cost: one pass over all features, and a string per token.
 */
export function tokenClasses(corpus: readonly Minibatch[], kind: 'state' | 'edge'): TokenClasses {
  const classes = new Map<string, number>([['', 0]]);
  const starts = [0, 0];
  const rows: number[] = [];
  const values: number[] = [];
  const of = new Uint32Array(corpus.reduce((sum, { tokens }) => sum + tokens, 0));
  let before = 0;
  for (const minibatch of corpus) {
    const isState = kind === 'state';
    const from = isState ? minibatch.stateStarts : minibatch.edgeStarts;
    const all = isState ? minibatch.stateRows : minibatch.edgeRows;
    const weights = isState ? minibatch.stateValues : minibatch.edgeValues;
    for (let s = 0; from !== undefined && s < minibatch.sentences.length; s += 1) {
      const first = minibatch.sentenceStarts[s]!;
      for (let t = isState ? first : first + 1; t < minibatch.sentenceStarts[s + 1]!; t += 1) {
        let key = '';
        for (let k = from[t]!; k < from[t + 1]!; k += 1) {
          key += weights === undefined ? `${all![k]} ` : `${all![k]}:${weights[k]} `;
        }
        let found = classes.get(key);
        if (found === undefined) {
          found = classes.size;
          classes.set(key, found);
          for (let k = from[t]!; k < from[t + 1]!; k += 1) {
            rows.push(all![k]!);
            values.push(weights === undefined ? 1 : weights[k]!);
          }
          starts.push(rows.length);
        }
        of[before + t] = found;
      }
    }
    before += minibatch.tokens;
  }
  return { count: classes.size, of, starts, rows, values };
}
