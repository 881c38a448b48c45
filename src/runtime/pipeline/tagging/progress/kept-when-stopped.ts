import type { Output } from '../../../io/writing/open-output.js';
import type { ResumableFile } from '../../../io/writing/resumable-file.js';

/** Callbacks at the end of a run with checkpoints. */
export interface EndHooks {
  /** Returns whether the run was stopped before the end of its input. */
  readonly isStopped: () => boolean;
  /** Called for the last checkpoint, before the file gets its final name or is left unfinished. */
  readonly beforeEnd?: () => void;
  /** Called when the run has ended, successfully or not. */
  readonly onEnd?: () => void;
}

/**
 * The output of a run with checkpoints: a stopped run keeps its unfinished file, so that it can be resumed.
 */
export class KeptWhenStopped implements Output {
  readonly name: string;
  readonly #file: ResumableFile;
  readonly #hooks: EndHooks;

  constructor(file: ResumableFile, hooks: EndHooks) {
    this.name = file.name;
    this.#file = file;
    this.#hooks = hooks;
  }

  write(text: string | Uint8Array, done: (error?: unknown) => void): void {
    this.#file.write(text, done);
  }

  async commit(): Promise<void> {
    const { isStopped, beforeEnd, onEnd } = this.#hooks;
    const stopped = isStopped();
    beforeEnd?.();
    await (stopped ? this.#file.abort() : this.#file.commit());
    onEnd?.();
  }

  async abort(): Promise<void> {
    await this.#file.abort();
    this.#hooks.onEnd?.();
  }
}
