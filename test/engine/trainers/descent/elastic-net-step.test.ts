import { describe, expect, it } from 'vitest';
import {
  elasticNetStep,
  softThreshold,
} from '../../../../src/engine/trainers/descent/coordinate-descent.js';

const start = {
  weights: Float64Array.of(0, 0.5, -1, 0, 3),
  gradient: Float64Array.of(0.4, -2, 1.5, 3, 0),
  curvature: Float64Array.of(1, 4, 2, 0.01, 0),
  from: 0,
  end: 5,
  l1: 0.5,
  l2: 0.25,
  factor: 1.5,
};

/** The model that the step minimises, worked out from its formula. */
function model(k: number, to: number): number {
  const { weights, gradient, curvature, l1, l2, factor } = start;
  const w = weights[k]!;
  const h = factor * Math.max(curvature[k]!, Math.abs(gradient[k]!) / 4);
  const smooth = gradient[k]! * (to - w) + (h / 2) * (to - w) ** 2;
  return smooth + l1 * (Math.abs(to) - Math.abs(w)) + l2 * (to * to - w * w);
}

describe('the step of coordinate descent', () => {
  it('minimises its model', () => {
    const moved = new Float64Array(5);
    const { change } = elasticNetStep(start, moved);
    let sum = 0;
    for (let k = 0; k < 5; k += 1) {
      sum += model(k, moved[k]!);
      for (const aside of [-0.3, -1e-3, 1e-3, 0.3]) {
        expect(model(k, moved[k]! + aside)).toBeGreaterThan(model(k, moved[k]!));
      }
    }
    expect(change).toBeCloseTo(sum, 10);
  });

  it.each([0.1, 1, 3, 6])('minimises its model with a penalty %d on a group', group => {
    const moved = new Float64Array(5);
    const { change } = elasticNetStep({ ...start, group }, moved);
    const length = (x: ArrayLike<number>) => Math.hypot(...Array.from(x));
    const value = (at: Float64Array) =>
      at.reduce((sum, to, k) => sum + model(k, to), 0) +
      group * (length(at) - length(start.weights));
    expect(value(moved)).toBeCloseTo(change, 10);
    for (let k = 0; k < 5; k += 1) {
      for (const aside of [-0.3, -1e-3, 1e-3, 0.3]) {
        const other = moved.slice();
        other[k]! += aside;
        expect(value(other)).toBeGreaterThan(change);
      }
    }
  });

  it('removes a group whole where the penalty is larger than all that pulls at it', () => {
    const moved = new Float64Array(5).fill(9);
    const z = [0, 1, 2].map(k => {
      const h = start.factor * Math.max(start.curvature[k]!, Math.abs(start.gradient[k]!) / 4);
      return softThreshold(h * start.weights[k]! - start.gradient[k]!, start.l1);
    });
    const pull = Math.hypot(...z);
    elasticNetStep({ ...start, end: 3, group: pull * 1.001 }, moved);
    expect([...moved]).toEqual([0, 0, 0, 9, 9]);
    elasticNetStep({ ...start, end: 3, group: pull * 0.999 }, moved);
    expect(Math.hypot(moved[1]!, moved[2]!)).toBeGreaterThan(0);
  });

  it('leaves a zero that the L1 penalty holds, and no more than the range it is given', () => {
    const moved = new Float64Array(5).fill(9);
    elasticNetStep({ ...start, end: 2 }, moved);
    expect(moved[0]).toBe(0);
    expect([...moved.subarray(2)]).toEqual([9, 9, 9]);
  });

  it('goes no further than 4 / factor where the curvature says nothing', () => {
    const moved = new Float64Array(5);
    elasticNetStep({ ...start, l1: 0, l2: 0, from: 3, end: 4 }, moved);
    expect(moved[3]).toBeCloseTo(-4 / 1.5, 12);
  });

  it('has a threshold that is soft', () => {
    expect([3, 1, 0, -1, -3].map(z => softThreshold(z, 1))).toEqual([2, 0, 0, 0, -2]);
  });
});
