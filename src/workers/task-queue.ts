import type { TaskLink } from './task-link.js';

/** How many tasks a link may have in hand, and whether it is given any only when no other has room. */
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

  /** @throws (rejects with) what the link rejected with, or what `abandon` was given */
  add(task: Task, transfer: readonly ArrayBuffer[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, transfer, resolve, reject });
      this.giveOut();
    });
  }

  /** Gives out what there is room for; to be called when a link has one task less in hand. */
  giveOut(): void {
    while (this.#waiting.length > 0) {
      const link = this.#next();
      if (link === undefined) return;
      const { task, transfer, resolve } = this.#waiting.shift()!;
      resolve(link.run(task, transfer));
    }
  }

  /** Rejects all that waits. */
  abandon(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #next(): Taker<Task, Result>['link'] | undefined {
    let best: Taker<Task, Result> | undefined;
    for (const taker of this.#takers.values()) {
      if (taker.link.load >= taker.most) continue;
      if (best === undefined || isBefore(taker, best)) best = taker;
    }
    return best?.link;
  }
}

function isBefore<Task, Result>(a: Taker<Task, Result>, b: Taker<Task, Result>): boolean {
  return a.isLast === b.isLast ? a.link.load < b.link.load : b.isLast;
}
