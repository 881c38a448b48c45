import { describe, expect, it } from 'vitest';
import { CompositePenalty } from '../../../../src/engine/kernels/rows/adaptive-steps.js';

describe('composite penalty', () => {
  it.each([
    { eta0: 0.5, delta: 1, l1: 0, l2: 0.5 },
    { eta0: 0.5, delta: 1, l1: 2, l2: 0 },
    { eta0: 2, delta: 0.01, l1: 0.3, l2: 3 },
    { eta0: 0.1, delta: 1, l1: 1e-6, l2: 1e-9 },
  ])('of many sentences at once is that of one after the other: %j', options => {
    const penalty = new CompositePenalty(options, 30);
    for (const [weight, squares] of [
      [1.5, 0.2],
      [-0.7, 40],
      [0.01, 0],
    ] as const) {
      let present: number = weight;
      for (let count = 1; count <= 200; count += 1) {
        present = penalty.step(present, 0, squares);
        expect(penalty.charged(weight, squares, count)).toBeCloseTo(present, 12);
      }
    }
  });

  it('ends at zero, and stays there', () => {
    const penalty = new CompositePenalty({ eta0: 1, delta: 1, l1: 1, l2: 1 }, 10);
    expect(penalty.charged(2, 0, 5)).toBeGreaterThan(0);
    expect(penalty.charged(2, 0, 1000)).toBe(0);
    expect(penalty.charged(-2, 0, 1e9)).toBe(0);
    expect(penalty.step(0, 0.09, 1)).toBe(0);
  });

  it('owes nothing without L1 and L2', () => {
    const free = new CompositePenalty({ eta0: 1, delta: 1, l1: 0, l2: 0 }, 10);
    expect(free.charges).toBe(false);
    expect(free.charged(2, 0, 10)).toBe(2);
    expect(free.step(0.5, -2, 4)).toBeCloseTo(0.5 + 2 / 3, 12);
  });
});
