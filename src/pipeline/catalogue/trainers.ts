import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import { batchPerceptron } from '../../trainers/batch-perceptron.js';
import { sequenceBoosting } from '../../trainers/boosting/sequence-boosting.js';
import { treeBoosting } from '../../trainers/boosting/trees/tree-boosting.js';
import { conjugateGradient } from '../../trainers/conjugate/conjugate-gradient.js';
import { bcd } from '../../trainers/descent/bcd.js';
import { cd } from '../../trainers/descent/cd.js';
import { em } from '../../trainers/em/em.js';
import { mmi } from '../../trainers/em/mmi.js';
import { lbfgs } from '../../trainers/lbfgs/lbfgs.js';
import { owlQn } from '../../trainers/lbfgs/owl-qn.js';
import { cuttingPlanes } from '../../trainers/margin/cutting-planes.js';
import { eg } from '../../trainers/margin/eg.js';
import { smo } from '../../trainers/margin/smo.js';
import { supportVectors } from '../../trainers/margin/support-vectors.js';
import { rprop } from '../../trainers/rprop.js';
import { gis } from '../../trainers/scaling/gis.js';
import { iis } from '../../trainers/scaling/iis.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { inductionOf } from '../trainers/induction.js';
import { pathOf } from '../trainers/path.js';
import { switchOf } from '../trainers/switch.js';

/** Optimizers that are not built from others. */
const single = [
  lbfgs,
  owlQn,
  conjugateGradient,
  rprop,
  sequenceBoosting,
  treeBoosting,
  bcd,
  cd,
  gis,
  iis,
  eg,
  smo,
  cuttingPlanes,
  supportVectors,
  batchPerceptron,
  em,
  mmi,
] as readonly unknown[] as readonly TrainerComponent<never>[];

const path = pathOf(single) as unknown as TrainerComponent<never>;
const induction = inductionOf(single) as unknown as TrainerComponent<never>;

/** Returns every batch optimizer that a pipeline file can name, built with the given online optimizers. */
export function trainersOf(
  known: readonly OptimizerComponent<never>[],
): readonly TrainerComponent<never>[] {
  const switched = switchOf(known, [...single, path]) as unknown as TrainerComponent<never>;
  return [...single, path, induction, switched];
}

/** Every batch optimizer that a pipeline file can name without plug-ins. */
export const trainers = trainersOf(optimizers);
