import { Worker } from 'node:worker_threads';
import { CrewSignals } from '../kernels/group/crew-signals.js';
import type { Crew } from '../models/group/crew.js';
import type { PluginModule } from '../plugins/loaded-plugin.js';
import type { ObjectiveCrew } from '../trainers/shards/objective-crew.js';
import type { ThreadData } from './thread-data.js';
import { threadFile } from './thread-file.js';
import type { TrainingJob } from './training-job.js';

/**
 * Threads to train with: as many as `members`, the calling one included, and a foreman who watches over
 * them. They do not keep the process alive.
 */
export class TrainingCrew implements Crew, ObjectiveCrew {
  readonly members: number;
  readonly signals: CrewSignals;
  readonly #modules: readonly PluginModule[];
  #foreman: Worker | undefined;

  /** @param modules plug-ins that all threads load */
  constructor(members: number, modules: readonly PluginModule[] = []) {
    this.members = members;
    this.#modules = modules;
    this.signals = new CrewSignals(members);
  }

  /** Starts the threads, so that they are there when the corpus has been read. */
  open(): void {
    const { members, signals } = this;
    const workerData: ThreadData = { members, buffer: signals.buffer, modules: this.#modules };
    const foreman = new Worker(threadFile('workers/training-foreman'), { workerData });
    foreman.on('error', error => signals.fail(error));
    foreman.unref();
    this.#foreman = foreman;
  }

  start(job: TrainingJob): void {
    if (this.#foreman === undefined) this.open();
    this.#foreman!.postMessage(job);
  }

  async close(): Promise<void> {
    await this.#foreman?.terminate();
  }
}
