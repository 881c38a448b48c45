import { Worker } from 'node:worker_threads';
import { CrewSignals } from '../kernels/crew/crew-signals.js';
import type { Crew, CrewJob } from '../models/crew/crew.js';
import { threadFile } from './thread-file.js';

/**
 * Threads to train with: as many as `members`, the calling one included, and a foreman who watches over
 * them. They start at once, beside whatever is done meanwhile, and do not keep the process alive.
 */
export class TrainingCrew implements Crew {
  readonly members: number;
  readonly signals: CrewSignals;
  readonly #foreman: Worker;

  constructor(members: number) {
    this.members = members;
    this.signals = new CrewSignals(members);
    const { buffer } = this.signals;
    this.#foreman = new Worker(threadFile('training-foreman'), { workerData: { members, buffer } });
    this.#foreman.on('error', error => this.signals.fail(error));
    this.#foreman.unref();
  }

  start(job: CrewJob): void {
    this.#foreman.postMessage(job);
  }

  async close(): Promise<void> {
    await this.#foreman.terminate();
  }
}
