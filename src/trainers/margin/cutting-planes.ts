import * as z from 'zod';
import { onlyLoss } from '../only-loss.js';
import type { TrainerComponent } from '../trainer-component.js';
import { CorpusSpace } from './corpus-space.js';
import { dualShape } from './dual-options.js';
import { LinearSpace } from './linear-space.js';
import { Smo } from './smo.js';

const options = z.strictObject({ l2: dualShape.l2, tolerance: dualShape.tolerance });

/** Options of `cuttingPlanes`, with their defaults. */
export type CuttingPlaneOptions = z.infer<typeof options>;

/** The problem of the planes is small: it is solved until a hundredth of what a new plane violates is left. */
const solved = { steps: 10000, rounds: 1, share: 0.01 };

/**
 * Cutting planes for max-margin training, in the dual:
 *
 *     minimise l2 * |w|^2 + xi,   xi >= sum_i wrong(y_i) + w . (F(y_i) - F(y*_i))  for the planes (y_1 ... y_N) so far
 *
 * An iteration finds the worst label sequences of the whole corpus at the present w, whose plane touches the summed
 * hinge losses there, and minimises over all planes: the problem of `Smo` with the corpus as a single sentence. The gap
 * between objective and planes bounds how far both are from the optimum; `gradientNorm` holds it. Planes without a share
 * in w are dropped. Cost of an iteration: Viterbi over the corpus twice, and the features in which a plane differs from
 * each other one. Joachims, Finley and Yu (2009), of one slack variable.
 */
export const cuttingPlanes: TrainerComponent<CuttingPlaneOptions> = {
  name: 'cutting-planes',
  summary: 'max-margin by planes below the hinge losses of the whole corpus, with L2',
  options,
  example: 'optimize: { cutting-planes: { l2: 1 } }',
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create(chosen, context) {
    const objective = context.objective(chosen.l2);
    const name = cuttingPlanes.name;
    const space = LinearSpace.of(name, objective);
    return new Smo({ ...chosen, ...solved }, objective, new CorpusSpace(space), name);
  },
};
