import { isLinearChain } from '../../inference/structures/structures.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { Loss } from '../../losses/loss.js';
import type { FreeParameters } from '../vectors/free-parameters.js';
import { multiply, normalise, stepBackward, stepForward } from './chain-steps.js';
import { type ChainedCorpus, type CorpusAndWeights, chainedCorpus } from './chained-corpus.js';

/** The objective whose losses are summed. */
interface SummedObjective extends CorpusAndWeights {
  readonly free: FreeParameters;
  readonly loss: Loss;
}

/** Minimum average number of tokens per transition class for which sharing pays off. */
const fewestTokens = 4;
/** Maximum number of values in the matrices of all classes: 128 MiB. */
const mostNumbers = 2 ** 24;

/**
 * The log loss of a corpus whose tokens share few transition classes, as with letters: exponentials are
 * computed once per class, and only the sum of the pair marginals over its tokens is kept,
 *
 *     sum_t p(y', y) = exp(a_c(y', y)) sum_t alpha_{t-1}(y') exp(e_t(y)) beta_t(y) / c_t
 *
 * Without sharing, each token needs L^2 exponentials.
 */
export class SharedLosses {
  readonly #chains: ChainedCorpus;
  readonly #gradient: Plane;
  readonly #objective: SummedObjective;
  /** Sums of node residuals by emission class, and of pairs, without exp(a_c), by transition class. */
  readonly #nodes: Float64Array;
  readonly #pairs: Float64Array;
  readonly #gold: Float64Array;
  /** exp(a_c) of all classes. */
  readonly #exps: Float64Array;
  readonly #alpha: Float64Array;
  readonly #scales: Float64Array;
  readonly #beta: Float64Array;
  readonly #outgoing: Float64Array;

  private constructor(objective: SummedObjective, chains: ChainedCorpus, gradient: Plane) {
    const { labels } = chains.potentials;
    this.#objective = objective;
    this.#chains = chains;
    this.#gradient = gradient;
    this.#nodes = new Float64Array(chains.states.count * labels);
    this.#pairs = new Float64Array(chains.edges.count * labels * labels);
    this.#gold = new Float64Array(this.#pairs.length);
    this.#exps = new Float64Array(this.#pairs.length);
    let longest = 0;
    for (let s = 1; s < chains.starts.length; s += 1) {
      longest = Math.max(longest, chains.starts[s]! - chains.starts[s - 1]!);
    }
    this.#alpha = new Float64Array(longest * labels);
    this.#scales = new Float64Array(longest);
    this.#beta = new Float64Array(labels);
    this.#outgoing = new Float64Array(labels);
  }

  /**
   * Returns the losses of an objective; undefined for other losses, or if the corpus has no chains or
   * sharing does not pay off.
   */
  static of(objective: SummedObjective): SharedLosses | undefined {
    const { precision, support, layout } = objective.parameters;
    if (!isLinearChain(layout)) return;
    if (objective.loss.name !== 'log' || precision !== 'float64' || support !== undefined) return;
    if (objective.corpus.every(({ edgeRows }) => (edgeRows?.length ?? 0) === 0)) return;
    const chains = chainedCorpus(objective);
    if (chains === undefined) return;
    if (chains.edges.count * fewestTokens > chains.gold.length) return;
    const { labels } = chains.potentials;
    if (chains.edges.count * labels * labels > mostNumbers) return;
    return new SharedLosses(objective, chains, objective.parameters.addPlane());
  }

  /**
   * Returns the sum of the losses under the current weights, with its gradient and the loss of each
   * sentence; undefined if scores are too large.
   */
  sum(gradient: Float64Array, losses?: Float64Array): number | undefined {
    const { potentials, starts, gold, weights } = this.#chains;
    potentials.refresh();
    if (!potentials.areSafe) return undefined;
    const { count } = this.#chains.edges;
    const size = potentials.labels ** 2;
    for (let c = 0; c < count; c += 1) this.#exps.set(potentials.edges(c), c * size);
    this.#nodes.fill(0);
    this.#pairs.fill(0);
    this.#gold.fill(0);
    losses?.fill(0);
    let value = 0;
    for (let s = 0; s < weights.length; s += 1) {
      const start = starts[s]!;
      const end = starts[s + 1]!;
      if (end === start || gold[start]! < 0 || weights[s] === 0) continue;
      const loss =
        weights[s]! * (this.#forward(start, end) - this.#backward(start, end, weights[s]!));
      if (losses !== undefined) losses[s] = loss;
      value += loss;
    }
    if (!Number.isFinite(value)) return undefined;
    this.#collect();
    this.#objective.free.gather(this.#gradient, gradient);
    return value;
  }

  /** Returns log Z; leaves forward vectors and scales. */
  #forward(start: number, end: number): number {
    const { potentials, states, edges } = this.#chains;
    const { labels } = potentials;
    const alpha = this.#alpha;
    let logZ = 0;
    for (let t = start, at = 0; t < end; t += 1, at += labels) {
      if (t === start) alpha.fill(1, 0, labels);
      else stepForward(potentials, edges.of[t]!, alpha, at - labels, alpha, at);
      multiply(alpha, at, potentials.states, states.of[t]! * labels, labels);
      const scale = normalise(alpha, at, labels);
      this.#scales[t - start] = scale;
      logZ += Math.log(scale);
    }
    return logZ;
  }

  /** Returns the score of the gold labels; adds residuals. */
  #backward(start: number, end: number, weight: number): number {
    const { potentials, states, edges, gold } = this.#chains;
    const { labels } = potentials;
    const alpha = this.#alpha;
    const beta = this.#beta.fill(1);
    const outgoing = this.#outgoing;
    const nodes = this.#nodes;
    const pairs = this.#pairs;
    let score = 0;
    for (let t = end - 1, at = (end - 1 - start) * labels; t >= start; t -= 1, at -= labels) {
      const state = states.of[t]! * labels;
      const y = gold[t]!;
      for (let i = 0; i < labels; i += 1) nodes[state + i]! += weight * alpha[at + i]! * beta[i]!;
      nodes[state + y]! -= weight;
      score += Math.log(potentials.states[state + y]!);
      if (t === start) break;
      const inverse = 1 / this.#scales[t - start]!;
      for (let i = 0; i < labels; i += 1) {
        outgoing[i] = beta[i]! * potentials.states[state + i]! * inverse;
      }
      const edge = edges.of[t]! * labels * labels;
      for (let from = 0, row = edge; from < labels; from += 1, row += labels) {
        const mass = weight * alpha[at - labels + from]!;
        for (let i = 0; i < labels; i += 1) pairs[row + i]! += mass * outgoing[i]!;
      }
      const pair = edge + gold[t - 1]! * labels + y;
      this.#gold[pair]! += weight;
      score += Math.log(this.#exps[pair]!);
      stepBackward(potentials, edges.of[t]!, outgoing, 0, beta, 0);
    }
    return score;
  }

  /** Collects the classes' sums in a plane of the parameters. */
  #collect(): void {
    const { potentials, states, edges } = this.#chains;
    const { labels } = potentials;
    const { width, matrixSize } = this.#objective.parameters;
    const state = this.#gradient.state.view.fill(0);
    const edge = this.#gradient.edges.view.fill(0);
    for (let c = 0; c < states.count; c += 1) {
      for (let k = states.starts[c]!; k < states.starts[c + 1]!; k += 1) {
        const row = states.rows[k]! * width;
        const value = states.values[k]!;
        for (let y = 0; y < labels; y += 1) state[row + y]! += value * this.#nodes[c * labels + y]!;
      }
    }
    const size = labels * labels;
    for (let c = 0; c < edges.count; c += 1) {
      for (let i = c * size; i < (c + 1) * size; i += 1) {
        const residual = this.#pairs[i]! * this.#exps[i]! - this.#gold[i]!;
        const cell = Math.floor((i - c * size) / labels) * width + ((i - c * size) % labels);
        edge[cell]! += residual;
        for (let k = edges.starts[c]!; k < edges.starts[c + 1]!; k += 1) {
          edge[edges.rows[k]! * matrixSize + cell]! += edges.values[k]! * residual;
        }
      }
    }
  }
}
