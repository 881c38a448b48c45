import { serveTasks } from '../../../workers/serve-tasks.js';
import { type FirstSetup, pipelineOfSetup } from './first-pipeline.js';
import { type FirstTraining, type TrainedFirst, trainFirst } from './first-training.js';

// The module of a worker that trains first models on parts of a corpus.
serveTasks<FirstSetup, FirstTraining, TrainedFirst>(setup => {
  const pipeline = pipelineOfSetup(setup);
  // Only the end of the thread stops a task.
  return async training => ({ result: (await trainFirst(pipeline, training))! });
});
