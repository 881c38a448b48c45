import type { Kernel } from '../kernel.js';
import { accumulate } from './accumulate.js';
import { accumulateCompressed } from './accumulate-compressed.js';
import { applyCumulativePenalty } from './cumulative-penalty.js';
import { exponentiate } from './exponentiate.js';
import { forwardBackwardLog } from './forward-backward-log.js';
import { forwardBackwardScaled } from './forward-backward-scaled.js';
import { pathScore } from './path-score.js';
import { axpy, dot, norm1, normMax } from './plane-vectors.js';
import { scalePlane } from './scale-plane.js';
import { score } from './score.js';
import { viterbi } from './viterbi.js';

/** The plain, readable kernel in float64: what every other kernel has to agree with. */
export const referenceKernel: Kernel = {
  name: 'reference',
  precision: 'float64',
  score,
  exponentiate,
  forwardBackwardScaled,
  forwardBackwardLog,
  viterbi,
  pathScore,
  accumulate,
  accumulateCompressed,
  scalePlane,
  dot,
  axpy,
  norm1,
  normMax,
  applyCumulativePenalty,
};
