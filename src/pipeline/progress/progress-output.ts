import type { Output } from '../../io/open-output.js';
import type { ResumableFile } from '../../io/resumable-file.js';
import type { TaggingProgress } from './tagging-progress.js';

/**
 * The output of a run whose progress is written down. At the end the last checkpoint comes first and then the
 * file's name, so that a run that is killed between the two has only the name to give. A run that was
 * stopped keeps its unfinished file for whoever goes on.
 */
export class ProgressOutput implements Output {
  readonly name: string;
  readonly #file: ResumableFile;
  readonly #progress: TaggingProgress;
  readonly #isStopped: () => boolean;

  constructor(file: ResumableFile, progress: TaggingProgress, isStopped: () => boolean) {
    this.name = file.name;
    this.#file = file;
    this.#progress = progress;
    this.#isStopped = isStopped;
  }

  write(text: string | Uint8Array, done: (error?: unknown) => void): void {
    this.#file.write(text, done);
  }

  async commit(): Promise<void> {
    const stopped = this.#isStopped();
    this.#progress.write();
    await (stopped ? this.#file.abort() : this.#file.commit());
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }
}
