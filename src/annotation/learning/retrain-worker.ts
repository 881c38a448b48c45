import { getPriority, setPriority } from 'node:os';
import { serveTasks } from '../../workers/serve-tasks.js';
import { type RetrainTask, retrain } from './retrain-task.js';

/** How much nicer the thread is than the server. */
const niceness = 5;

serveTasks<null, RetrainTask, Uint8Array | undefined>(() => {
  // Nobody waits for it, but for what else the cores do. Elsewhere the whole process would have it.
  if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority() + niceness));
  return async task => ({ result: await retrain(task) });
});
