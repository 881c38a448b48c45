import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { commands, GroupSignals } from '../../../../src/engine/kernels/group/group-signals.js';

/** Begins the command 2 once another thread sleeps, as the sources are not there in a thread of their own. */
const beginner = `
  const { workerData } = require('node:worker_threads');
  const words = new Int32Array(workerData);
  while (Atomics.load(words, 96) === 0);
  Atomics.store(words, 1, 2);
  Atomics.add(words, 0, 1);
  Atomics.notify(words, 0);
`;

/** The main thread's and another's view of the same signals. */
function pair(members = 2): [GroupSignals, GroupSignals] {
  const main = new GroupSignals(members);
  return [main, new GroupSignals(members, main.buffer)];
}

describe('GroupSignals', () => {
  it('hands commands on, one after the other', () => {
    const [main, other] = pair();
    for (const command of [commands.contribute, commands.apply, commands.round]) {
      main.begin(command);
      expect(other.next()).toBe(command);
      other.done();
      main.finish();
    }
  });

  it('reports a failure with its code and its fix', () => {
    const [main, other] = pair();
    main.begin(commands.contribute);
    other.fail(new TagstreamError('numeric', 'the loss is NaN', { fix: 'lower eta0' }));
    expect(() => main.finish()).toThrow(
      expect.objectContaining({ code: 'numeric', problem: 'the loss is NaN', fix: 'lower eta0' }),
    );
  });

  it('reports a foreign failure with its cause, the first one only', () => {
    const [main, other] = pair();
    other.fail(new RangeError('out of memory'));
    other.fail(new Error('ended with code 1'));
    expect(main.hasFailed).toBe(true);
    for (const wait of [() => main.finish(), () => main.meet(), () => other.next()]) {
      expect(wait).toThrow(/a training thread has died: out of memory/);
    }
    let thrown: unknown;
    try {
      main.finish();
    } catch (error) {
      thrown = error;
    }
    expect((thrown as TagstreamError).code).toBe('stage');
    expect(((thrown as TagstreamError).cause as Error).name).toBe('RangeError');
  });

  it('takes over from whoever died while it reported a failure', () => {
    const [main, other] = pair();
    // As a thread leaves it that has begun to report.
    new Int32Array(main.buffer)[64] = 1;
    other.fail(new Error('thread 1 has ended'));
    expect(main.hasFailed).toBe(false);
    other.fail(new Error('thread 1 has ended'), true);
    expect(() => main.finish()).toThrow(/thread 1 has ended/);
  });

  it('reports an error that is too long to be reported', () => {
    const [main, other] = pair();
    other.fail(new Error('x'.repeat(20_000)));
    expect(() => main.finish()).toThrow(/a long error/);
  });

  it('is counted among the sleepers until it is woken', () => {
    const [main, other] = pair();
    const thread = new Worker(beginner, { eval: true, workerData: main.buffer });
    expect(other.next()).toBe(commands.apply);
    expect(new Int32Array(main.buffer)[96]).toBe(0);
    return thread.terminate();
  });

  it('is not held up by a group of one', () => {
    const main = new GroupSignals(1);
    main.begin(commands.apply);
    main.finish();
    main.meet();
    expect(main.hasFailed).toBe(false);
  });
});
