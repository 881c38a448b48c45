import { serveTasks } from '../../workers/serve-tasks.js';
import { type RetrainTask, retrain } from './retrain-task.js';

serveTasks<null, RetrainTask, Uint8Array | undefined>(() => async task => ({
  result: await retrain(task),
}));
