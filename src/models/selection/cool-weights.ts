import type { Plane } from '../../kernels/memory/plane.js';
import { roundToFloat32 } from '../../kernels/memory/round-to-float32.js';

/**
 * Divides all weights by a temperature, in place: p(y | x) becomes proportional to p(y | x)^(1 / T), with the same best
 * labels. Above 1 a model that is too sure of them gets less sure. Guo, Pleiss, Sun and Weinberger (2017).
 */
export function coolWeights(weights: Plane, temperature: number): void {
  for (const { view } of [weights.state, weights.edges, weights.pairs]) {
    for (let i = 0; i < view.length; i += 1) view[i]! /= temperature;
  }
  roundToFloat32(weights);
}
