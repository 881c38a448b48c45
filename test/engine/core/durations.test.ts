import { expect, it } from 'vitest';
import { Durations } from '../../../src/engine/core/run-status.js';

it('counts what is equal to a bound below it, and what is above all bounds apart', () => {
  const durations = new Durations([0.25, 0.5, 2]);
  for (const seconds of [0, 0.25, 0.375, 2, 2.5, 100]) durations.add(seconds);
  expect(durations.counts).toEqual([2, 1, 1, 2]);
  expect(durations.count).toBe(6);
  expect(durations.sum).toBe(105.125);
});
