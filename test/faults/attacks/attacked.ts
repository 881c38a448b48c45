import type { Random } from '../../../src/engine/core/random.js';
import { faultsSeed } from '../seed.js';
import type { Job } from './jobs.js';
import type { SystemCall } from './system-calls.js';

/** What is known of a job from a run that nothing disturbs. */
export interface Undisturbed {
  /** The folder that it has left. */
  readonly folder: string;
  readonly milliseconds: number;
  /** The calls about files that it has made; empty where they cannot be traced. */
  readonly calls: readonly SystemCall[];
}

/** What is attacked, and where. */
export interface Attacked {
  readonly jobs: ReadonlyMap<Job, Undisturbed>;
  /** The folder in which jobs are attacked; made anew for each. */
  readonly broken: string;
  /** The file that calls are traced to. */
  readonly log: string;
  readonly random: Random;
}

/** What was done to a job, reported where it did not go as it should. */
export class History {
  readonly #steps: string[];

  constructor(job: Job) {
    this.#steps = [`TAGSTREAM_FAULTS_SEED=${faultsSeed}, ${job.name}`];
  }

  add(step: string): void {
    this.#steps.push(step);
  }

  toString(): string {
    return this.#steps.join('; ');
  }
}

/** One of some things. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/** The jobs in turns from a random one on, without an end. */
export function* inTurns({
  jobs,
  random,
}: Attacked): Generator<readonly [Job, Undisturbed], never> {
  const all = [...jobs];
  for (let n = random.below(all.length); ; n += 1) yield all[n % all.length]!;
}
