// The program of the thread that starts and watches the workers of a group. Members and main thread
// block while they work; this one never does, so it learns immediately if one of them dies.
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { GroupSignals } from '../../engine/kernels/group/group-signals.js';
import { threadFile } from '../thread-file.js';
import type { ThreadData, TrainingJob } from './thread-group.js';

const beatMilliseconds = 500;

/**
 * Limits in megabytes: a thread's allocations for a minibatch are freed with it, and its numbers are in shared memory.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

const { members, buffer, modules } = workerData as ThreadData;
const signals = new GroupSignals(members, buffer);
const threads = Array.from({ length: members - 1 }, (_, i) => {
  const member = i + 1;
  const thread = new Worker(threadFile('runtime/workers/training-thread'), {
    workerData: { member, members, buffer, modules },
    resourceLimits,
  });
  thread.on('error', report);
  thread.on('exit', code => report(new Error(`thread ${member} has ended with code ${code}`)));
  return thread;
});

parentPort!.on('message', (job: TrainingJob) => {
  for (const thread of threads) thread.postMessage(job);
});
setInterval(() => signals.beat(), beatMilliseconds);

function report(error: unknown): void {
  signals.fail(error);
  // A thread that died while reporting its failure never completes the report.
  setTimeout(() => signals.fail(error, true), beatMilliseconds);
}
