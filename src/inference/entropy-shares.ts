import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';

/** Labels of a token that are less probable are left out: each changes a share by less than 2e-5. */
const least = 1e-6;

/**
 * What each token adds to the entropy of the labels of sentence `s` of a scored lattice, in nats, `[T]`: the mean of what
 * is left in doubt of its label where the one before is known, and where the one behind is.
 *
 *     h_t = (H(y_t | y_{t-1}, x) + H(y_t | y_{t+1}, x)) / 2,   at the ends H(y_1 | x) and H(y_T | x) in the place of one
 *
 * Both terms, summed over the tokens, are H(y | x): labels are a Markov chain, and the chain rule goes in both directions.
 * The entropies H(y_t | x) sum to more, as they count again what a label shows of its neighbours.
 *
 * Works in log space; no token has a share where there is no sequence of labels. Cost O(T L^2), logarithms only of pairs of
 * labels that are probable.
 */
export function entropyShares(kernel: Kernel, lattice: Lattice, s: number): Float64Array {
  const { sentenceStarts } = lattice.batch!;
  const first = sentenceStarts[s]!;
  const length = sentenceStarts[s + 1]! - first;
  const shares = new Float64Array(length);
  const logZ = kernel.forwardBackwardLog(lattice, s);
  if (!Number.isFinite(logZ)) return shares;
  let labels = probableLabels(lattice, first);
  let own = tokenEntropy(lattice, first, labels);
  shares[0]! += own / 2;
  for (let t = 1; t < length; t += 1) {
    const before = { labels, own };
    labels = probableLabels(lattice, first + t);
    own = tokenEntropy(lattice, first + t, labels);
    const both = pairEntropy(lattice, first + t, before.labels, labels, logZ);
    shares[t]! += Math.max(0, both - before.own) / 2;
    shares[t - 1]! += Math.max(0, both - own) / 2;
  }
  shares[length - 1]! += own / 2;
  return shares;
}

function probableLabels({ nodes, width, labels }: Lattice, token: number): number[] {
  const probable: number[] = [];
  for (let y = 0; y < labels; y += 1) {
    if (nodes.view[token * width + y]! > least) probable.push(y);
  }
  return probable;
}

function tokenEntropy({ nodes, width }: Lattice, token: number, labels: readonly number[]): number {
  let entropy = 0;
  for (const y of labels) entropy += surprisal(nodes.view[token * width + y]!);
  return entropy;
}

/** Of the labels of a token and the token before, as `edgeMarginals` has their probabilities. */
function pairEntropy(
  lattice: Lattice,
  token: number,
  before: readonly number[],
  labels: readonly number[],
  logZ: number,
): number {
  const { width, matrixSize, logAlpha, logBeta, emissionScores } = lattice;
  const slot = lattice.edgeSlots[token]!;
  const scores = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
  const base = slot < 0 ? 0 : slot * matrixSize;
  const row = token * width;
  let entropy = 0;
  for (const y of labels) {
    const behind = emissionScores.view[row + y]! + logBeta.view[row + y]! - logZ;
    for (const from of before) {
      const ahead = logAlpha.view[row - width + from]! + scores[base + from * width + y]!;
      entropy += surprisal(Math.exp(ahead + behind));
    }
  }
  return entropy;
}

/** `-p log p`. */
function surprisal(p: number): number {
  return p > 0 ? -p * Math.log(p) : 0;
}
