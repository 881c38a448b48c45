import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { EdgeScores } from './edge-scores.js';
import type { TokenClasses } from './token-classes.js';

/**
 * Scores within which recursions over potentials neither underflow nor overflow: a forward value is then
 * at least exp(-4 * 100) of the largest.
 */
const mostScore = 100;
/** Share of pairs with a score from which on a class has a matrix. */
const dense = 1 / 4;
/** Most numbers in lists and matrices of transitions: 128 MiB. */
const mostNumbers = 2 ** 24;

/** exp(score) of the label pairs of a class that have a score; that of all others is 1. */
export interface ActivePairs {
  readonly count: number;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly exps: Float64Array;
}

/**
 * Exponentials of the emission and transition scores of the classes of tokens, for present weights: what
 * many tokens share is worked out once.
 *
 * Where few transitions have a score, exp(a(y', y)) = 1 + M(y', y) with a sparse M; Sokolovska, Lavergne,
 * Cappe and Yvon (2010), eq. 9.
 */
export class ClassPotentials {
  readonly labels: number;
  /** `[classes x labels]` exp of emission scores. */
  readonly states: Float64Array;
  /** The pairs of each class of transitions, where they are few. */
  readonly active: (ActivePairs | undefined)[] = [];
  readonly #matrices: (Float64Array | undefined)[] = [];
  readonly #store: ParameterStore;
  readonly #stateClasses: TokenClasses;
  readonly #edgeClasses: TokenClasses;
  readonly #scores: EdgeScores;
  readonly #unsafeStates: Uint8Array;
  readonly #unsafeEdges: Uint8Array;
  #unsafe = 0;
  /** Numbers in lists and matrices. */
  #size = 0;
  /** The pairs of class `#expanded` as a matrix; ones elsewhere. */
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

  /** Whether recursions over the potentials keep their digits, and there is room for them. */
  get areSafe(): boolean {
    return this.#unsafe === 0 && this.#size <= mostNumbers;
  }

  /** `[labels x labels]` exp of the transition scores of a class, until the next call. Cost O(active pairs). */
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

  /** One of these. Cost O(active pairs), without a matrix. */
  edge(c: number, before: number, label: number): number {
    const matrix = this.#matrices[c];
    if (matrix !== undefined) return matrix[before * this.labels + label]!;
    const { count, from, to, exps } = this.active[c]!;
    for (let k = 0; k < count; k += 1) if (from[k] === before && to[k] === label) return exps[k]!;
    return 1;
  }

  /** Works out all again. */
  refresh(): void {
    for (let c = 0; c < this.#stateClasses.count; c += 1) this.refreshState(c);
    this.refreshEdges();
  }

  /** Works out all transitions again. */
  refreshEdges(): void {
    this.#scores.forget();
    for (let c = 0; c < this.#edgeClasses.count; c += 1) this.#refreshEdge(c);
  }

  /** Works out the emissions of a class again. Cost O(its features * L). */
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
   * Works out again the transitions of classes that have one of the edge features `rows`. Cost O(weights of these
   * features + active pairs of the classes).
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

  /** The matrix of a class, of ones; its list is dropped. */
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

  /** A list for so many pairs of a class; its matrix is dropped. */
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
