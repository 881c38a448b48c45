import { describe, expect, it } from 'vitest';
import { scheduleOf, schedules } from '../../../src/engine/optimizers/schedules/schedules.js';

const moments = [0, 0.5, 1, 3, 10];

describe('schedules', () => {
  it('constant: eta0 at all times', () => {
    expect(moments.map(schedules.constant(0.3))).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
  });

  it('inverse: eta0 / (1 + decay * passes)', () => {
    expect(moments.map(schedules.inverse(0.6, 2))).toEqual([0.6, 0.3, 0.6 / 3, 0.6 / 7, 0.6 / 21]);
  });

  it('exponential: eta0 * alpha^passes', () => {
    const expected = [0.8, 0.4, 0.2, 0.0125, 0.8 * 2 ** -20];
    for (const [i, moment] of moments.entries()) {
      expect(schedules.exponential(0.8, 0.25)(moment)).toBeCloseTo(expected[i]!, 15);
    }
  });

  it('fall, but for the constant one', () => {
    for (const schedule of [schedules.inverse(1, 0.5), schedules.exponential(1, 0.9)]) {
      const sizes = Array.from({ length: 50 }, (_, i) => schedule(i / 7));
      expect(sizes.every((size, i) => i === 0 || size < sizes[i - 1]!)).toBe(true);
      expect(sizes.every(size => size > 0)).toBe(true);
    }
  });

  it('are named in options, with a decay of their own where none is given', () => {
    const sizeAt2 = (schedule: 'constant' | 'inverse' | 'exponential', decay?: number) =>
      scheduleOf({ eta0: 0.5, schedule, decay })(2);
    expect(sizeAt2('constant')).toBe(0.5);
    expect(sizeAt2('inverse')).toBe(0.5 / 3);
    expect(sizeAt2('inverse', 0.25)).toBe(0.5 / 1.5);
    expect(sizeAt2('exponential')).toBe(0.5 * 0.85 ** 2);
    expect(sizeAt2('exponential', 0.5)).toBe(0.125);
  });
});
