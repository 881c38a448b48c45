import type { TaskLink } from './own-link.js';

/**
 * Maximum number of unfinished tasks of a link, and whether it gets tasks that are not small only if all other links
 * are full.
 */
export interface LinkRoom {
  readonly most: number;
  readonly isLast: boolean;
}

type Taker<Task, Result> = LinkRoom & {
  readonly link: Pick<TaskLink<never, Task, Result>, 'load' | 'run'>;
};

interface Waiting<Task, Result> {
  readonly task: Task;
  readonly transfer: readonly ArrayBuffer[];
  readonly isSmall: boolean;
  readonly signal: AbortSignal | undefined;
  /** Stops listening to the signal. */
  forget: (() => void) | undefined;
  resolve(result: Promise<Result>): void;
  reject(error: unknown): void;
}

/** Queue of tasks that wait for a link with room; each goes to the link with the fewest tasks. */
export class TaskQueue<Task, Result> {
  readonly #waiting: Waiting<Task, Result>[] = [];
  readonly #takers = new Map<Taker<Task, Result>['link'], Taker<Task, Result>>();

  /** Adds a link, which gets tasks from now on. */
  serve(link: Taker<Task, Result>['link'], room: LinkRoom): void {
    this.#takers.set(link, { ...room, link });
    this.giveOut();
  }

  /**
   * @param isSmall whether the task is preferably given to the last link: it takes less time than a round trip to
   *   another thread
   * @param signal removes a waiting task from the queue when aborted
   * @throws (rejects with) the error of the link, that of `abandon`, or the reason of the signal
   */
  add(
    task: Task,
    transfer: readonly ArrayBuffer[],
    isSmall = false,
    signal?: AbortSignal,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const waiting: Waiting<Task, Result> = {
        ...{ task, transfer, isSmall, signal, resolve, reject },
        forget: undefined,
      };
      if (signal !== undefined) {
        const cancel = () => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', cancel, { once: true });
        waiting.forget = () => signal.removeEventListener('abort', cancel);
      }
      this.#waiting.push(waiting);
      this.giveOut();
    });
  }

  /** Assigns as many tasks as there is room for; called when a link has finished a task. */
  giveOut(): void {
    while (this.#waiting.length > 0) {
      const link = this.#next(this.#waiting[0]!.isSmall);
      if (link === undefined) return;
      const { task, transfer, signal, resolve, forget } = this.#waiting.shift()!;
      forget?.();
      resolve(signal === undefined ? link.run(task, transfer) : link.run(task, transfer, signal));
    }
  }

  /** Rejects all waiting tasks. */
  abandon(error: unknown): void {
    for (const { reject, forget } of this.#waiting.splice(0)) {
      forget?.();
      reject(error);
    }
  }

  #next(isSmall: boolean): Taker<Task, Result>['link'] | undefined {
    let best: Taker<Task, Result> | undefined;
    for (const taker of this.#takers.values()) {
      if (taker.link.load >= taker.most) continue;
      if (best === undefined || isBefore(taker, best, isSmall)) best = taker;
    }
    return best?.link;
  }
}

function isBefore<Task, Result>(
  a: Taker<Task, Result>,
  b: Taker<Task, Result>,
  isSmall: boolean,
): boolean {
  return a.isLast === b.isLast ? a.link.load < b.link.load : a.isLast === isSmall;
}
