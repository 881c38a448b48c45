import type { TaskLink } from './task-link.js';

/** How many tasks a link may have in hand, and whether it is given any but small ones only when no other has room. */
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
  resolve(result: Promise<Result>): void;
  reject(error: unknown): void;
}

/** Tasks that wait for a link with room for them; each goes to the one with the least in hand. */
export class TaskQueue<Task, Result> {
  readonly #waiting: Waiting<Task, Result>[] = [];
  readonly #takers = new Map<Taker<Task, Result>['link'], Taker<Task, Result>>();

  /** Gives tasks to a link too, from now on. */
  serve(link: Taker<Task, Result>['link'], room: LinkRoom): void {
    this.#takers.set(link, { ...room, link });
    this.giveOut();
  }

  /**
   * @param isSmall the last link gets it first: it is done sooner than it could be sent to another thread and back
   * @throws (rejects with) what the link rejected with, or what `abandon` was given
   */
  add(task: Task, transfer: readonly ArrayBuffer[], isSmall = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, transfer, isSmall, resolve, reject });
      this.giveOut();
    });
  }

  /** Gives out what there is room for; to be called when a link has one task less in hand. */
  giveOut(): void {
    while (this.#waiting.length > 0) {
      const link = this.#next(this.#waiting[0]!.isSmall);
      if (link === undefined) return;
      const { task, transfer, resolve } = this.#waiting.shift()!;
      resolve(link.run(task, transfer));
    }
  }

  /** Rejects all that waits. */
  abandon(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
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
