import { giveWay, serveTasks } from '../../runtime/workers/serve-tasks.js';
import { type RetrainTask, retrain } from './retrain-task.js';

serveTasks<null, RetrainTask, Uint8Array | undefined>(() => {
  // The server's main thread must not wait for cores that this thread uses.
  giveWay(5);
  return async task => ({ result: await retrain(task) });
});
