import { describe, expect, it } from 'vitest';
import { TaskQueue } from '../../../src/runtime/workers/task-queue.js';

/** A link that does nothing by itself, and what it was given. */
function link() {
  const given: number[] = [];
  const ends: (() => void)[] = [];
  return {
    given,
    ends,
    get load() {
      return ends.length;
    },
    run(task: number): Promise<number> {
      given.push(task);
      return new Promise(resolve => ends.push(() => resolve(-task)));
    },
  };
}

function filled(tasks: number) {
  const queue = new TaskQueue<number, number>();
  const results = Array.from({ length: tasks }, (_, task) => queue.add(task, []));
  for (const result of results) result.catch(() => undefined);
  return { queue, results };
}

describe('a queue of tasks', () => {
  it('keeps them until somebody takes tasks, and gives each what it has room for', () => {
    const { queue } = filled(5);
    const [a, b] = [link(), link()];
    queue.serve(a, { most: 2, isLast: false });
    expect(a.given).toEqual([0, 1]);
    queue.serve(b, { most: 2, isLast: false });
    expect(b.given).toEqual([2, 3]);
    b.ends.pop()!();
    queue.giveOut();
    expect([a.given, b.given]).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });

  it('gives a task to the link with the least in hand', () => {
    const { queue } = filled(0);
    const [a, b] = [link(), link()];
    queue.serve(a, { most: 9, isLast: false });
    queue.serve(b, { most: 9, isLast: false });
    for (let task = 0; task < 4; task += 1) void queue.add(task, []);
    expect([a.given, b.given]).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it('gives the last link tasks only when no other has room', () => {
    const { queue } = filled(0);
    const [last, other] = [link(), link()];
    queue.serve(last, { most: 1, isLast: true });
    void queue.add(0, []);
    queue.serve(other, { most: 2, isLast: false });
    last.ends.pop()!();
    for (let task = 1; task < 6; task += 1) void queue.add(task, []);
    expect([last.given, other.given]).toEqual([
      [0, 3],
      [1, 2],
    ]);
  });

  it('gives small tasks to the last link as long as it has room', () => {
    const { queue } = filled(0);
    const [last, other] = [link(), link()];
    queue.serve(last, { most: 1, isLast: true });
    queue.serve(other, { most: 2, isLast: false });
    void queue.add(0, [], true);
    void queue.add(1, [], true);
    void queue.add(2, []);
    last.ends.pop()!();
    void queue.add(3, [], true);
    expect([last.given, other.given]).toEqual([
      [0, 3],
      [1, 2],
    ]);
  });

  it('gives back what comes of a task, and rejects what waits when it is given up', async () => {
    const { queue, results } = filled(3);
    const only = link();
    queue.serve(only, { most: 1, isLast: false });
    only.ends.pop()!();
    expect(await results[0]).toBe(-0);
    queue.giveOut();
    const error = new Error('given up');
    queue.abandon(error);
    await expect(results[2]).rejects.toBe(error);
    // This one is with the link, whose owner gives it up.
    expect(only.given).toEqual([0, 1]);
  });
});
