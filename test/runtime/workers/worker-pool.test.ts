import { afterEach, describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { WorkerPool, type WorkerPoolOptions } from '../../../src/runtime/workers/worker-pool.js';
import { everyNth } from '../../house/long-forms.js';

interface Setup {
  readonly base?: number;
  readonly refuse?: boolean;
  readonly stuck?: boolean;
}
type Task = Readonly<Record<string, unknown>> & { readonly what: string };

type Options = WorkerPoolOptions<Setup, Task, unknown>;

const module = new URL('./fixtures/answering.mjs', import.meta.url);
const pools: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()));
});

function open(options: Options, file = module): WorkerPool<Setup, Task, unknown> {
  const pool = new WorkerPool<Setup, Task, unknown>(file, options);
  pools.push(pool);
  return pool;
}

async function opened(size: number, more: Partial<Options> = {}) {
  const pool = open({ size, ...more });
  await pool.setUp({});
  return pool;
}

const turn = () => new Promise(resolve => setImmediate(resolve));

/** What a promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<TagstreamError> =>
  promise.then(
    value => expect.fail(`resolved to ${String(value)}`),
    (error: TagstreamError) => error,
  );

describe('a pool of workers', () => {
  it('does tasks, also those that were given before the setup', { tags: 'slow' }, async () => {
    const pool = open({ size: 2 });
    const ready = pool.setUp({ base: 100 });
    const results = Array.from({ length: 50 }, (_, x) => pool.run({ what: 'square', x }));
    expect(await Promise.all(results)).toEqual(Array.from({ length: 50 }, (_, x) => x * x + 100));
    await ready;
    expect(pool.signal.aborted).toBe(false);
  });

  it('is ready, and works, while another worker is never set up', async () => {
    const seen: string[] = [];
    const own: Options['own'] = async () => () => async () => {
      seen.push('task');
      return { result: 1 };
    };
    const pool = open({ size: 2, own });
    pool.setUp({ stuck: true }, () => seen.push('ready')).catch(() => undefined);
    expect(await pool.run({ what: 'square', x: 1 })).toBe(1);
    expect(seen).toEqual(['ready', 'task']);
  });

  it('leaves the streams of the process as they are, for any number of workers', {
    tags: 'slow',
  }, async () => {
    const counts = () =>
      [process.stdout, process.stderr].flatMap(stream =>
        stream.eventNames().map(name => stream.listenerCount(name)),
      );
    const before = counts();
    await opened(11);
    expect(counts()).toEqual(before);
  });

  it('can be set up again, for the tasks that come then', async () => {
    const pool = await opened(2);
    const squares = () => Promise.all([3, 4, 5].map(x => pool.run({ what: 'square', x })));
    expect(await squares()).toEqual([9, 16, 25]);
    await pool.setUp({ base: 100 });
    expect(await squares()).toEqual([109, 116, 125]);
    const error = await errorOf(pool.setUp({ refuse: true }));
    expect(error.code).toBe('model-damaged');
    expect(pool.signal.aborted).toBe(true);
  });

  it('hands memory over without a copy', async () => {
    const pool = await opened(1);
    const bytes = new Uint8Array(1000);
    expect(await pool.run({ what: 'size', bytes }, [bytes.buffer])).toBe(1000);
    expect(bytes.length).toBe(0);
  });

  it('gives a task to the worker with the least in hand', async () => {
    const pool = await opened(2, { inHand: 3 });
    const stuck = pool.run({ what: 'never' });
    stuck.catch(() => undefined);
    // The first worker never comes to what it has in hand; of seven tasks it must not get four.
    let done = 0;
    for (let x = 0; x < 7; x += 1) {
      pool.run({ what: 'square', x }).then(
        () => {
          done += 1;
        },
        () => undefined,
      );
    }
    while (done < 5) await turn();
    // A worker that answers has nothing before it: two tasks are behind the one that never ends.
    expect(await pool.run({ what: 'square', x: 5 })).toBe(25);
    expect(done).toBe(5);
  });

  it('has no more with the workers than was said', async () => {
    const pool = await opened(1, { inHand: 2 });
    const arrays = [1, 2, 3, 4].map(() => new Uint8Array(8));
    const tasks = arrays.map(bytes => pool.run({ what: 'never', bytes }, [bytes.buffer]));
    for (const task of tasks) task.catch(() => undefined);
    await turn();
    expect(arrays.map(bytes => bytes.length)).toEqual([0, 0, 8, 8]);
  });

  it('passes the error of a task on, and continues', async () => {
    const pool = await opened(1);
    const error = await errorOf(pool.run({ what: 'fail' }));
    expect(error).toBeInstanceOf(TagstreamError);
    expect(error).toMatchObject({ code: 'not-json', message: '3: no brace (add one)' });
    const foreign = await errorOf(pool.run({ what: 'failForeign' }));
    expect(foreign).toMatchObject({ name: 'RangeError', message: 'out of range' });
    expect(foreign.stack).toContain('answering.mjs');
    expect((await errorOf(pool.run({ what: 'unsendable' }))).message).toMatch(
      /could not be cloned/,
    );
    const notSent = await errorOf(pool.run({ what: 'square', x: () => 1 }));
    expect(notSent.message).toMatch(/could not be cloned/);
    expect(await pool.run({ what: 'square', x: 3 })).toBe(9);
  });

  it('ends with what a setup threw', async () => {
    const pool = open({ size: 2 });
    const task = errorOf(pool.run({ what: 'square', x: 1 }));
    const error = await errorOf(pool.setUp({ refuse: true }));
    expect(error).toMatchObject({ code: 'model-damaged', message: 'no such model' });
    expect(await task).toBe(error);
    expect(pool.signal.reason).toBe(error);
  });

  it('rejects what is not done when it is closed, also of a worker that never pauses', async () => {
    const pool = await opened(2);
    const errors = ['loop', 'never', 'loop', 'never', 'loop'].map(what =>
      errorOf(pool.run({ what })),
    );
    await pool.close();
    for (const error of await Promise.all(errors)) {
      expect(error).toMatchObject({ code: 'worker', message: 'the pool was closed' });
    }
    expect((await errorOf(pool.run({ what: 'square', x: 1 }))).code).toBe('worker');
    expect((await errorOf(pool.setUp({}))).code).toBe('worker');
  });

  it('begins no task whose signal is aborted: in the queue, with the worker, or before', async () => {
    const done = new Int32Array(new SharedArrayBuffer(4));
    const end = new AbortController();
    const pool = await opened(1, { inHand: 3 });
    const first = pool.run({ what: 'square', x: 1, wait: 20 });
    const later = Array.from({ length: 6 }, () =>
      pool.run({ what: 'count', done }, [], false, end.signal),
    );
    const last = pool.run({ what: 'count', done });
    end.abort();
    for (const error of await Promise.all(later.map(errorOf))) {
      expect(error.name).toBe('AbortError');
    }
    expect(await first).toBe(1);
    await last;
    const before = pool.run({ what: 'count', done }, [], false, end.signal);
    expect((await errorOf(before)).name).toBe('AbortError');
    expect(done[0]).toBe(1);
    // As many as there are places for marks, so that each is used again.
    for (let i = 0; i < 100; i += 1) await pool.run({ what: 'count', done });
    expect(done[0]).toBe(101);
  });

  it('gives a task up that is at work, and its worker does the next when it has ended', async () => {
    const end = new AbortController();
    const pool = await opened(1, { inHand: 1 });
    const slow = pool.run({ what: 'square', x: 2, wait: 50 }, [], false, end.signal);
    setTimeout(() => end.abort(), 10);
    expect((await errorOf(slow)).name).toBe('AbortError');
    expect(await pool.run({ what: 'square', x: 3 })).toBe(9);
  });

  it('needs a worker', () => {
    for (const size of [0, -1, 1.5, Number.NaN]) {
      expect(() => open({ size })).toThrowError(/a pool cannot have .* workers \(use at least 1\)/);
    }
  });
});

describe('a worker that dies', () => {
  const limits = { maxOldGenerationSizeMb: 32 };
  for (const { rows, tags } of everyNth(3, [
    ['ends itself', 'exit', /^worker \d died: it ended with exit code 7$/],
    ['throws', 'throwLater', /^worker \d died: thrown later$/],
    ['rejects', 'reject', /^worker \d died: rejected and not heard$/],
    ['has no memory left', 'eat', /^worker \d died: .*memory.* \(use fewer workers/],
  ])) {
    it.each(rows)(
      'because it %s: rejects all that is not done, with the cause',
      { tags },
      async (_, what, message) => {
        const pool = await opened(2, { resourceLimits: limits });
        const waiting = [what, 'never', 'never', 'never', 'never', 'never'];
        const errors = await Promise.all(waiting.map(doing => errorOf(pool.run({ what: doing }))));
        for (const error of errors) expect(error).toBe(errors[0]);
        expect(errors[0]).toBeInstanceOf(TagstreamError);
        expect(errors[0]!.code).toBe('worker');
        expect(errors[0]!.message).toMatch(message);
        expect(errors[0]!.cause).toBeInstanceOf(Error);
        expect(pool.signal.reason).toBe(errors[0]);
        expect(await errorOf(pool.run({ what: 'square', x: 1 }))).toBe(errors[0]);
      },
    );
  }

  it('before it is set up: its module is not there', async () => {
    const pool = open({ size: 2 }, new URL('./fixtures/absent.mjs', import.meta.url));
    const error = await errorOf(pool.setUp({}));
    expect(error.code).toBe('worker');
    expect(error.message).toMatch(/^worker \d died: Cannot find module/);
  });

  it('while it has nothing to do: the signal fires', async () => {
    const pool = await opened(1);
    const reported = new Promise(resolve => pool.signal.addEventListener('abort', resolve));
    // The answer is on its way when the worker dies.
    pool.run({ what: 'throwLater' }).catch(() => undefined);
    await reported;
    expect((pool.signal.reason as Error).message).toBe('worker 1 died: thrown later');
  });
});
