import { afterEach, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../../src/runtime/workers/worker-pool.js';

type Task = Readonly<Record<string, unknown>> & { readonly what: string };

const module = new URL('./fixtures/answering.mjs', import.meta.url);
const pools: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()));
});

/** A pool of one worker thread and this one, which squares too, and notes what it is given. */
function open(setUp: () => (task: Task) => Promise<{ result: unknown }>, size = 2) {
  const own = async () => setUp;
  const pool = new WorkerPool<unknown, Task, unknown>(module, { size, own });
  pools.push(pool);
  return pool;
}

const square = (x: number): Task => ({ what: 'square', x });

describe('a pool that its own thread is part of', () => {
  it('shares tasks between the threads', async () => {
    const own: number[] = [];
    const pool = open(() => async ({ x }) => {
      own.push(x as number);
      return { result: (x as number) ** 2 };
    });
    await pool.setUp({});
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    expect(await Promise.all(numbers.map(x => pool.run(square(x))))).toEqual(
      numbers.map(x => x * x),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThan(200);
    expect([...own].sort((a, b) => a - b)).toEqual(own);
  });

  it('does all of them while the others have not been set up', async () => {
    const own: number[] = [];
    const pool = open(() => async ({ x }) => {
      own.push(x as number);
      return { result: x };
    });
    // The first comes before any other thread can have started.
    pool.setUp({}).catch(() => undefined);
    const first = [1, 2, 3].map(x => pool.run(square(x)));
    expect(await first[0]).toBe(1);
    expect(own[0]).toBe(1);
    await Promise.all(first);
  });

  it('may have this thread alone', async () => {
    const pool = open(
      () =>
        async ({ x }) => ({ result: -(x as number) }),
      1,
    );
    const early = pool.run(square(3));
    await pool.setUp({});
    expect(await early).toBe(-3);
  });

  it('rejects what its own thread fails with, and continues', async () => {
    const pool = open(
      () =>
        async ({ x }) => {
          if (x === 1) throw new RangeError('one');
          return { result: x };
        },
      1,
    );
    await pool.setUp({});
    await expect(pool.run(square(1))).rejects.toThrow('one');
    expect(await pool.run(square(2))).toBe(2);
  });

  it('does not begin what its signal has cancelled', async () => {
    const own: number[] = [];
    const pool = open(
      () =>
        async ({ x }) => {
          own.push(x as number);
          return { result: x };
        },
      1,
    );
    await pool.setUp({});
    const end = new AbortController();
    const first = pool.run(square(1));
    const cancelled = pool.run(square(2), [], false, end.signal);
    end.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    expect([await first, await pool.run(square(3)), own]).toEqual([1, 3, [1, 3]]);
  });

  it('fails where its own thread cannot be set up', async () => {
    const pool = open(() => {
      throw new RangeError('no model');
    });
    await expect(pool.setUp({})).rejects.toThrow('no model');
    await expect(pool.run(square(2))).rejects.toThrow('no model');
  });

  it('rejects all that is in hand when it is closed', async () => {
    const pool = open(() => () => new Promise(() => undefined), 1);
    await pool.setUp({});
    const tasks = [pool.run(square(1)), pool.run(square(2))];
    const ended = Promise.all(
      tasks.map(task => expect(task).rejects.toThrow('the pool was closed')),
    );
    await pool.close();
    await ended;
  });
});
