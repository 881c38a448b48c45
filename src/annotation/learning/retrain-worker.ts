import { getPriority, setPriority } from 'node:os';
import { serveTasks } from '../../workers/serve-tasks.js';
import { type RetrainTask, retrain } from './retrain-task.js';

/** Niceness of the thread relative to the server. */
const niceness = 5;

serveTasks<null, RetrainTask, Uint8Array | undefined>(() => {
  // The server's main thread must not wait for cores that this thread uses. On other systems the
  // priority would apply to the whole process.
  if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority() + niceness));
  return async task => ({ result: await retrain(task) });
});
