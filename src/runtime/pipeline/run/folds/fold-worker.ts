import { kernels } from '../../../../engine/models/kernels.js';
import { serveTasks } from '../../../workers/serve-tasks.js';
import {
  type FoldSetup,
  type FoldTask,
  foldPipelines,
  type TrainedFold,
  trainFold,
} from './train-fold.js';

// The module of a worker that trains folds of a cross-validation.
serveTasks<FoldSetup, FoldTask, TrainedFold>(setup => {
  const pipelineOf = foldPipelines(setup);
  const { kernel } = setup;
  const run = kernel === undefined ? {} : { kernel: kernels[kernel] };
  // Only the end of the thread stops a task.
  return async task => ({ result: (await trainFold(pipelineOf(task.set), task, run))! });
});
