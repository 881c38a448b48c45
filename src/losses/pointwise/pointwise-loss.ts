import { scaledForwardBackward } from '../../inference/scaled-forward-backward.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { KnownLabels } from '../partial/known-labels.js';
import { LossScratch } from '../residuals/loss-scratch.js';
import { scaleResiduals } from '../residuals/scale-residuals.js';

/** What a token counts whose log loss is l = -log p(y*_t | x), and d loss / d l. */
export interface PointwiseScale {
  loss(l: number): number;
  weight(l: number): number;
}

/**
 * A loss that is a sum over tokens of a function of their log losses l_t = -log p(y*_t | x):
 *
 *     sum_t g(l_t),   residuals sum_t g'(l_t) (E[F] - E[F | y_t = y*_t])
 *
 * by one more forward-backward pass. Where a token may have one of several labels, p is the sum of
 * theirs; where it may have all, it counts nothing. Cost O(T L^2).
 */
export function pointwiseLoss(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  gold: Int32Array,
  scale: PointwiseScale,
): number {
  lattice.readsBackward = true;
  const inLogs = Number.isNaN(scaledForwardBackward(kernel, lattice, s));
  lattice.readsBackward = false;
  const logZ = inLogs ? kernel.forwardBackwardLog(lattice, s) : undefined;
  const known = new KnownLabels(lattice, s, gold, logZ);
  const { conditional } = LossScratch.of(lattice);
  conditional.open(s);
  const { sources } = conditional;
  const { labels, width } = lattice;
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  let total = 0;
  let weights = 0;
  for (let t = first; t < end; t += 1) {
    if (known.isFree(t)) continue;
    const at = (t - first) * width;
    const l = known.logLoss(t, sources, at);
    const weight = scale.weight(l);
    for (let i = at; i < at + labels; i += 1) sources[i]! *= weight;
    total += scale.loss(l);
    weights += weight;
  }
  scaleResiduals(lattice, s, weights);
  conditional.subtract(s, inLogs);
  return total;
}
