import { kernels } from '../../../models/kernels.js';
import { serveTasks } from '../../../workers/serve-tasks.js';
import {
  type Fold,
  type FoldSetup,
  foldPipeline,
  type TrainedFold,
  trainFold,
} from './train-fold.js';

// The module of a worker that trains folds of a cross-validation.
serveTasks<FoldSetup, Fold, TrainedFold>(setup => {
  const pipeline = foldPipeline(setup);
  const { kernel } = setup;
  const run = kernel === undefined ? {} : { kernel: kernels[kernel] };
  // Nothing stops it but the end of its thread.
  return async fold => ({ result: (await trainFold(pipeline, fold, run))! });
});
