import { Worker } from 'node:worker_threads';
import type { PluginModule } from '../../engine/interfaces/loaded-plugin.js';
import { GroupSignals } from '../../engine/kernels/group/group-signals.js';
import type { GroupJob, WorkerGroup } from '../../engine/models/group/worker-group.js';
import type { ObjectiveGroup, ObjectiveJob } from '../../engine/trainers/shards/objective-group.js';
import { threadFile } from '../thread-file.js';

/** Limits in megabytes: the supervisor does little. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/**
 * A group of `members` training threads, including the calling one, and a supervisor thread, for `train` and for learners with
 * `workers`. The threads do not keep the process alive.
 */
export class ThreadGroup implements WorkerGroup, ObjectiveGroup {
  readonly members: number;
  readonly signals: GroupSignals;
  readonly #modules: readonly PluginModule[];
  #supervisor: Worker | undefined;

  /** @param modules plug-ins that all threads load */
  constructor(members: number, modules: readonly PluginModule[] = []) {
    this.members = members;
    this.#modules = modules;
    this.signals = new GroupSignals(members);
  }

  /** Starts the threads, so that they are ready by the time the corpus has been read. */
  open(): void {
    const { members, signals } = this;
    const workerData: ThreadData = { members, buffer: signals.buffer, modules: this.#modules };
    const file = threadFile('runtime/workers/training-supervisor');
    const supervisor = new Worker(file, { workerData, resourceLimits });
    supervisor.on('error', error => signals.fail(error));
    supervisor.unref();
    this.#supervisor = supervisor;
  }

  start(job: TrainingJob): void {
    if (this.#supervisor === undefined) this.open();
    this.#supervisor!.postMessage(job);
  }

  async close(): Promise<void> {
    await this.#supervisor?.terminate();
  }
}

/** Start data of a group's threads. */
export interface ThreadData {
  readonly members: number;
  readonly buffer: SharedArrayBuffer;
  /** Plug-ins, which each thread loads separately. */
  readonly modules: readonly PluginModule[];
}

/** Work of a training thread: steps of an online optimizer, or shards of a batch optimizer's objective. */
export type TrainingJob = GroupJob | ObjectiveJob;
