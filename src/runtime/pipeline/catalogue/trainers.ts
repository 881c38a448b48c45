import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import { batchPerceptron } from '../../../engine/trainers/batch-perceptron.js';
import { sequenceBoosting } from '../../../engine/trainers/boosting/sequence-boosting.js';
import { treeBoosting } from '../../../engine/trainers/boosting/trees/tree-boosting.js';
import { conjugateGradient } from '../../../engine/trainers/conjugate/conjugate-gradient.js';
import { bcd } from '../../../engine/trainers/descent/bcd.js';
import { cd } from '../../../engine/trainers/descent/cd.js';
import { em } from '../../../engine/trainers/em/em.js';
import { mmi } from '../../../engine/trainers/em/mmi.js';
import { lbfgs } from '../../../engine/trainers/lbfgs/lbfgs.js';
import { owlQn } from '../../../engine/trainers/lbfgs/owl-qn.js';
import { cuttingPlanes } from '../../../engine/trainers/margin/cutting-planes.js';
import { eg } from '../../../engine/trainers/margin/eg.js';
import { smo } from '../../../engine/trainers/margin/smo.js';
import { supportVectors } from '../../../engine/trainers/margin/support-vectors.js';
import { rprop } from '../../../engine/trainers/rprop.js';
import { gis } from '../../../engine/trainers/scaling/gis.js';
import { iis } from '../../../engine/trainers/scaling/iis.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
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
