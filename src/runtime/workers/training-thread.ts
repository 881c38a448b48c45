// The program of a training thread: one worker of a group, until the supervisor ends.
import { parentPort, workerData } from 'node:worker_threads';
import { GroupSignals } from '../../engine/kernels/group/group-signals.js';
import { joinGroup } from '../../engine/models/group/join-group.js';
import { joinObjective } from '../../engine/trainers/shards/join-objective.js';
import { loadModule } from '../plugins/load-plugins.js';
import type { ThreadData, TrainingJob } from './thread-group.js';

const { member, members, buffer, modules } = workerData as ThreadData & { readonly member: number };
const signals = new GroupSignals(members, buffer);

parentPort!.once('message', (job: TrainingJob) => {
  try {
    const plugins = modules.map(loadModule);
    const losses = plugins.flatMap(plugin => plugin.losses);
    const optimizers = plugins.flatMap(plugin => plugin.optimizers);
    if ('exchange' in job) joinObjective(job, member, signals, losses);
    else joinGroup(job, member, signals, { losses, optimizers });
  } catch (error) {
    // The supervisor would notice too, but not the kind of error.
    signals.fail(error);
    throw error;
  }
});
