import { describe, expect, it } from 'vitest';
import { measure } from './processes/measure.mjs';
import { runRounds } from './processes/run-rounds.mjs';
import { watchPeak } from './processes/watch-peak.mjs';
import { against } from './report/against.mjs';
import { median } from './timing/median.mjs';
import { roundsOf } from './timing/rounds-of.mjs';
import { sideBySide } from './timing/side-by-side.mjs';

const node = process.execPath;
const linux = process.platform === 'linux';

describe('timing', () => {
  it('takes medians', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('spreads few runs evenly over the rounds', () => {
    expect(roundsOf(5, 5)).toEqual([0, 1, 2, 3, 4]);
    expect(roundsOf(1, 5)).toEqual([4]);
    expect(roundsOf(3, 5)).toEqual([1, 3, 4]);
    expect(roundsOf(0, 5)).toEqual([]);
  });

  it('runs functions in turn, each prepared before, the first round uncounted', () => {
    const order: string[] = [];
    const work = (name: string) => () => {
      order.push(`+${name}`);
      return () => order.push(name);
    };
    expect(sideBySide([work('a'), work('b')], 2)).toHaveLength(2);
    expect(order.join(' ')).toBe('+a a +b b +a a +b b +a a +b b');
  });
});

describe('ratios', () => {
  it('are wall times divided by that of the base', () => {
    const rows = [
      { what: 'ours', seconds: 2 },
      { what: 'peer', seconds: 5 },
      { what: 'failed', failed: 'why' },
    ];
    expect(against(rows, { ours: rows, absent: rows }).map(({ ratios }) => ratios)).toEqual([
      ...[{}, { ours: 2.5 }, {}],
    ]);
  });
});

describe('processes', () => {
  it('are measured: wall time and peak memory', async () => {
    const small = await measure([node, '-e', 'setTimeout(() => {}, 200)']);
    expect(small.seconds).toBeGreaterThan(0.2);
    const large = await measure([node, '-e', 'Buffer.alloc(2e8, 1)']);
    if (linux) expect(large.peakBytes! - small.peakBytes!).toBeGreaterThan(1.5e8);
  });

  it.runIf(linux)('are watched where GNU time is missing', async () => {
    const stop = watchPeak(process.pid);
    expect(stop()).toBeGreaterThan(2e7);
    expect(watchPeak(2 ** 30)()).toBeUndefined();
  });

  it('that fail say how', async () => {
    const failing = [node, '-e', 'console.error("it broke"); process.exitCode = 3'];
    await expect(measure(failing)).rejects.toThrow(/ended with 3, expected 0: it broke/);
  });

  it('are run in rounds; one that fails is not run again', async () => {
    const said: string[] = [];
    const tasks = [
      { name: 'good', runs: 3, command: [node, '-e', '0'] },
      { name: 'bad', runs: 2, command: [node, '-e', 'process.exitCode = 1'] },
    ];
    const outcomes = await runRounds(tasks, text => said.push(text));
    expect(outcomes.get('good')).toMatchObject({ runs: 3, seconds: expect.any(Number) });
    expect(outcomes.get('bad')).toEqual({ runs: 0, failed: expect.stringContaining('with 1') });
    expect(said.filter(text => text.startsWith('bad, run'))).toEqual(['bad, run 1 of 2']);
  });
});
