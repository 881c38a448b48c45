import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { TokenClasses } from './token-classes.js';

/**
 * Scores within which recursions over potentials neither underflow nor overflow: a forward value is then
 * at least exp(-4 * 100) of the largest.
 */
const mostScore = 100;
/** Below this, 1 + (exp(score) - 1) has too few digits left. */
const leastSparse = -10;
/** Share of pairs with a score other than 0 from which on a matrix is walked over whole. */
const dense = 1 / 4;

/** exp(score) - 1 of the label pairs of a class whose score is not 0. */
export interface ActivePairs {
  readonly count: number;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly excess: Float64Array;
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
  /** `[classes x labels x labels]` exp of transition scores. */
  readonly edges: Float64Array;
  /** The pairs of each class of transitions, where they are few. */
  readonly active: (ActivePairs | undefined)[] = [];
  readonly #store: ParameterStore;
  readonly #stateClasses: TokenClasses;
  readonly #edgeClasses: TokenClasses;
  readonly #unsafeStates: Uint8Array;
  readonly #unsafeEdges: Uint8Array;
  #unsafe = 0;

  constructor(store: ParameterStore, states: TokenClasses, edges: TokenClasses) {
    this.labels = store.labels;
    this.#store = store;
    this.#stateClasses = states;
    this.#edgeClasses = edges;
    this.states = new Float64Array(states.count * this.labels);
    this.edges = new Float64Array(edges.count * this.labels * this.labels);
    this.#unsafeStates = new Uint8Array(states.count);
    this.#unsafeEdges = new Uint8Array(edges.count);
  }

  /** Whether recursions over the potentials keep their digits. */
  get areSafe(): boolean {
    return this.#unsafe === 0;
  }

  /** Works out all again. */
  refresh(): void {
    for (let c = 0; c < this.#stateClasses.count; c += 1) this.refreshState(c);
    this.refreshEdges();
  }

  /** Works out all transitions again. */
  refreshEdges(): void {
    for (let c = 0; c < this.#edgeClasses.count; c += 1) this.refreshEdge(c);
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

  /** Works out the transitions of a class again. Cost O(its features * L^2). */
  refreshEdge(c: number): void {
    const { labels, edges } = this;
    const { starts, rows, values } = this.#edgeClasses;
    const { width, matrixSize, weights } = this.#store;
    const table = weights.edges.view;
    const size = labels * labels;
    const at = c * size;
    for (let from = 0; from < labels; from += 1) {
      for (let y = 0; y < labels; y += 1) edges[at + from * labels + y] = table[from * width + y]!;
    }
    for (let k = starts[c]!; k < starts[c + 1]!; k += 1) {
      const value = values[k]!;
      for (let from = 0; from < labels; from += 1) {
        const row = rows[k]! * matrixSize + from * width;
        const out = at + from * labels;
        for (let y = 0; y < labels; y += 1) edges[out + y]! += value * table[row + y]!;
      }
    }
    let most = 0;
    let least = 0;
    let count = 0;
    for (let i = at; i < at + size; i += 1) {
      const score = edges[i]!;
      if (score === 0) {
        edges[i] = 1;
        continue;
      }
      count += 1;
      most = Math.max(most, Math.abs(score));
      least = Math.min(least, score);
      edges[i] = Math.exp(score);
    }
    this.#note(this.#unsafeEdges, c, most);
    const isSparse = count <= dense * size && least >= leastSparse;
    this.active[c] = isSparse ? this.#pairs(at, count) : undefined;
  }

  #pairs(at: number, count: number): ActivePairs {
    const { labels, edges } = this;
    const from = new Uint16Array(count);
    const to = new Uint16Array(count);
    const excess = new Float64Array(count);
    let k = 0;
    for (let i = 0; i < labels * labels && k < count; i += 1) {
      if (edges[at + i] === 1) continue;
      from[k] = Math.floor(i / labels);
      to[k] = i % labels;
      excess[k] = edges[at + i]! - 1;
      k += 1;
    }
    return { count: k, from, to, excess };
  }

  #note(unsafe: Uint8Array, c: number, most: number): void {
    const isUnsafe = most <= mostScore ? 0 : 1;
    this.#unsafe += isUnsafe - unsafe[c]!;
    unsafe[c] = isUnsafe;
  }
}
