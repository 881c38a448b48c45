import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { Calibration } from '../../../../src/engine/metrics/evaluation/calibration.js';

describe('Calibration', () => {
  it('gives the error of a case worked by hand', () => {
    const calibration = new Calibration(10);
    // In (0.8, 0.9]: mean 0.85, half right. In (0.9, 1]: mean 0.975, all right. In (0.2, 0.3]: 0.3, wrong.
    calibration.add(0.84, true);
    calibration.add(0.86, false);
    calibration.add(0.95, true);
    calibration.add(1, true);
    calibration.add(0.3, false);
    const { count, expectedError, maximumError, bins } = calibration.summary();
    expect(count).toBe(5);
    expect(expectedError).toBeCloseTo((2 * 0.35 + 2 * 0.025 + 1 * 0.3) / 5, 12);
    expect(maximumError).toBeCloseTo(0.35, 12);
    expect(bins.map(bin => bin.count)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 2, 2]);
    expect(bins[8]!.accuracy).toBe(0.5);
    expect(bins[8]!.confidence).toBeCloseTo(0.85, 12);
    expect(bins[9]).toMatchObject({ accuracy: 1, confidence: 0.975, to: 1 });
    expect(bins[0]).toEqual({ from: 0, to: 0.1, count: 0, confidence: null, accuracy: null });
  });

  it('puts ends into the bin below, and 0 into the first', () => {
    const calibration = new Calibration(4);
    for (const p of [0, 0.25, 0.5, 0.75, 1, 1.0000001, -1e-9]) calibration.add(p, true);
    expect(calibration.summary().bins.map(bin => bin.count)).toEqual([3, 1, 1, 2]);
  });

  it('finds no error where probabilities are frequencies', () => {
    const random = new Random(3);
    const calibration = new Calibration();
    for (let i = 0; i < 40_000; i += 1) {
      const p = random.uniform();
      calibration.add(p, random.uniform() < p);
    }
    const { expectedError, bins } = calibration.summary();
    expect(bins).toHaveLength(15);
    expect(expectedError).toBeLessThan(0.015);
  });

  it('is undefined of nothing, and takes no odd number of bins', () => {
    expect(new Calibration().summary()).toMatchObject({
      count: 0,
      expectedError: null,
      maximumError: null,
    });
    expect(() => new Calibration(0)).toThrow('cannot measure calibration with 0 bins');
    expect(() => new Calibration(1.5)).toThrow('whole number of at least 1');
  });
});
