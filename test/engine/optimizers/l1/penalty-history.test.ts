import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { PenaltyHistory } from '../../../../src/engine/optimizers/l1/penalty-history.js';

/**
 * w <- w - a sign(w), one step after the other, and how near |w| came to 0 or to a: where it is that near, to
 * cross zero or not is a matter of rounding.
 */
function plainly(weight: number, steps: readonly number[]) {
  let nearest = Infinity;
  let w = weight;
  for (const step of steps) {
    nearest = Math.min(nearest, Math.abs(w), Math.abs(Math.abs(w) - step));
    w -= step * Math.sign(w);
  }
  return { w, nearest };
}

function historyOf(steps: readonly number[]): PenaltyHistory {
  const history = new PenaltyHistory();
  for (const step of steps) history.add(step);
  return history;
}

const schedules: [string, (k: number) => number][] = [
  ['constant', () => 0.01],
  ['exponential', k => 0.02 * 0.85 ** (k / 300)],
  ['inverse', k => 0.05 / (1 + k / 100)],
  [
    'falling in jumps',
    k => [0.03, 0.02, 0.011, 0.004][Math.floor(k / 40) % 4]! / (1 + Math.floor(k / 160)),
  ],
  ['growing and falling', k => 0.01 + 0.008 * Math.sin(k / 7)],
  ['zero at times', k => (k % 3 === 0 ? 0 : 0.01)],
];

describe('PenaltyHistory', () => {
  it.each(schedules)('charges as single steps do: %s', (_, step) => {
    const random = new Random(7);
    const steps = Array.from({ length: 1500 }, (_, k) => step(k));
    const history = historyOf(steps);
    let crossed = 0;
    let compared = 0;
    for (let i = 0; i < 1500; i += 1) {
      const from = random.below(1500);
      const to = from + random.below(1501 - from);
      const weight = (random.uniform() - 0.5) * [0.01, 0.1, 3][i % 3]!;
      const { w, nearest } = plainly(weight, steps.slice(from, to));
      if (nearest < 1e-12) continue;
      compared += 1;
      if (w * weight < 0) crossed += 1;
      expect(Math.abs(history.charged(weight, from, to) - w)).toBeLessThan(1e-13);
    }
    expect(compared).toBeGreaterThan(1000);
    expect(crossed).toBeGreaterThan(100);
  });

  it('leaves a weight at zero that has come to it', () => {
    const history = historyOf([0.5, 0.25, 0.25, 0.5]);
    expect(history.charged(0, 0)).toBe(0);
    expect(history.charged(0.5, 0)).toBe(0);
    expect(history.charged(-1, 0)).toBe(0);
    expect(history.charged(-1, 0, 2)).toBe(-0.25);
    // 0.25 - 0.5, + 0.25 = 0.
    expect(history.charged(0.25, 0)).toBe(0);
    expect(history.charged(0.2, 0, 1)).toBe(-0.3);
  });

  it('counts its steps over all that it has forgotten', () => {
    const history = historyOf([1, 1]);
    history.clear();
    history.add(0.25);
    expect(history.end).toBe(3);
    expect(history.charged(1, 2)).toBe(0.75);
    const restored = new PenaltyHistory();
    restored.restore(history.save());
    restored.add(0.125);
    expect([restored.end, restored.charged(1, 2)]).toEqual([4, 0.625]);
  });

  it('is full after as many steps as fit', () => {
    const history = historyOf(new Array<number>(PenaltyHistory.room - 1).fill(0.1));
    expect(history.isFull).toBe(false);
    history.add(0.1);
    expect(history.isFull).toBe(true);
    const steps = new Float64Array(PenaltyHistory.room + 1);
    const wrong = () => new PenaltyHistory().restore({ json: { first: 0 }, arrays: { steps } });
    expect(wrong).toThrow(/too many steps/);
  });
});
