import { conjugateGradient } from '../../trainers/conjugate-gradient.js';
import { lbfgs } from '../../trainers/lbfgs.js';
import { owlQn } from '../../trainers/owl-qn.js';
import { rprop } from '../../trainers/rprop.js';
import { sequenceBoosting } from '../../trainers/sequence-boosting.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** Every batch optimizer that a pipeline file can name. */
export const trainers = [
  lbfgs,
  owlQn,
  conjugateGradient,
  rprop,
  sequenceBoosting,
] as readonly unknown[] as readonly TrainerComponent<never>[];
