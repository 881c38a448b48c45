import type { Reals } from '../../core/arrays.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { type NumberSpace, whereScaled } from '../forward-backward.js';

/**
 * Labels of a token at or below this probability are skipped: each changes a share by less than
 * 2e-5.
 */
const least = 1e-6;

/**
 * Returns each token's share of the label entropy of sentence `s` of a scored lattice, in nats,
 * `[T]`: the mean of its label's entropies given the previous label and given the next label.
 *
 *     h_t = (H(y_t | y_{t-1}, x) + H(y_t | y_{t+1}, x)) / 2
 *
 * with H(y_1 | x) or H(y_T | x) for the missing term at either end. Each term sums to H(y | x) over the tokens:
 * labels are a Markov chain, and the chain rule goes in both directions. The entropies H(y_t | x) sum to more,
 * because they ignore the information that neighbouring labels share.
 *
 * Scaled if that is safe, like `forwardBackward`; all shares are zero if there is no label sequence. Cost O(T L^2), with
 * logarithms only for probable label pairs.
 */
export function entropyShares(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  space: NumberSpace = 'auto',
): Float64Array {
  const { sentenceStarts } = lattice.batch!;
  const first = sentenceStarts[s]!;
  const length = sentenceStarts[s + 1]! - first;
  const shares = new Float64Array(length);
  const scaled = whereScaled(kernel, lattice, s, space);
  const inLogs = Number.isNaN(scaled);
  const logZ = inLogs ? kernel.forwardBackwardLog(lattice, s) : scaled;
  if (!Number.isFinite(logZ)) return shares;
  const pairs = inLogs ? logPairs(lattice, logZ) : scaledPairs(lattice);
  let before: ProbableLabels = { list: new Int32Array(lattice.labels), count: 0, entropy: 0 };
  let own: ProbableLabels = { list: new Int32Array(lattice.labels), count: 0, entropy: 0 };
  find(own, lattice, first);
  shares[0]! += own.entropy / 2;
  for (let t = 1; t < length; t += 1) {
    [before, own] = [own, before];
    find(own, lattice, first + t);
    if (own.count === 1 && before.count === 1) continue;
    const both = pairEntropy(pairs, first + t, before, own);
    shares[t]! += Math.max(0, both - before.entropy) / 2;
    shares[t - 1]! += Math.max(0, both - own.entropy) / 2;
  }
  shares[length - 1]! += own.entropy / 2;
  return shares;
}

/** A token's labels that are not skipped, with their entropy. */
interface ProbableLabels {
  readonly list: Int32Array;
  count: number;
  entropy: number;
}

function find(found: ProbableLabels, { nodes, width, labels }: Lattice, token: number): void {
  const { view } = nodes;
  found.count = 0;
  found.entropy = 0;
  for (let y = 0; y < labels; y += 1) {
    const p = view[token * width + y]!;
    if (p <= least) continue;
    found.list[found.count] = y;
    found.count += 1;
    found.entropy += surprisal(p);
  }
}

/** The factors of label pair probabilities, or the terms of their logarithms. */
interface Pairs {
  readonly lattice: Lattice;
  readonly alpha: Reals;
  readonly transitions: Reals;
  readonly edges: Reals;
  readonly emissions: Reals;
  readonly beta: Reals;
  /**
   * Log Z for logarithms; undefined for factors, whose products are probabilities up to a constant
   * per token.
   */
  readonly logZ: number | undefined;
}

function scaledPairs(lattice: Lattice): Pairs {
  const { alpha, beta, expTransitions, expEdges, expEmissions } = lattice;
  const matrices = { transitions: expTransitions.view, edges: expEdges.view };
  const vectors = { alpha: alpha.view, emissions: expEmissions.view, beta: beta.view };
  return { lattice, ...matrices, ...vectors, logZ: undefined };
}

function logPairs(lattice: Lattice, logZ: number): Pairs {
  const { logAlpha, logBeta, transitionScores, edgeScores, emissionScores } = lattice;
  const matrices = { transitions: transitionScores.view, edges: edgeScores.view };
  const vectors = { alpha: logAlpha.view, emissions: emissionScores.view, beta: logBeta.view };
  return { lattice, ...matrices, ...vectors, logZ };
}

/** Returns the pair entropy of the labels of a token and its predecessor. */
function pairEntropy(
  { lattice, alpha, beta, emissions, transitions, edges, logZ }: Pairs,
  token: number,
  before: ProbableLabels,
  own: ProbableLabels,
): number {
  const { width, matrixSize } = lattice;
  const slot = lattice.edgeSlots[token]!;
  const matrix = slot < 0 ? transitions : edges;
  const base = slot < 0 ? 0 : slot * matrixSize;
  const row = token * width;
  let entropy = 0;
  let sum = 0;
  for (let j = 0; j < own.count; j += 1) {
    const y = own.list[j]!;
    const emission = emissions[row + y]!;
    const behind = beta[row + y]!;
    for (let i = 0; i < before.count; i += 1) {
      const from = before.list[i]!;
      const ahead = alpha[row - width + from]!;
      const score = matrix[base + from * width + y]!;
      const pair =
        logZ === undefined
          ? ahead * score * emission * behind
          : Math.exp(ahead + score + emission + behind - logZ);
      sum += pair;
      entropy += surprisal(pair);
    }
  }
  // Entropy of p = pair / sum: the pairs are proportional to p.
  return sum > 0 ? Math.log(sum) + entropy / sum : 0;
}

/** Returns `-p log p`. */
function surprisal(p: number): number {
  return p > 0 ? -p * Math.log(p) : 0;
}
