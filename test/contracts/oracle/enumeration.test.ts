import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { difference } from './differences/difference.js';
import { Enumeration } from './enumeration.js';
import { logRecursion } from './log-recursion.js';
import { randomProblem } from './problems/problem.js';

describe('the oracle itself', () => {
  it('has the numbers of a chain small enough for paper', () => {
    // Path weights: 00 -> 1 * 2 * 1, 01 -> 1 * 3 * 5, 10 -> 4 * 1 * 1, 11 -> 4 * 1 * 5; sum 41.
    const log = Math.log;
    const chain = new Enumeration({
      emissions: [
        [0, log(4)],
        [0, log(5)],
      ],
      transitions: [
        [],
        [
          [log(2), log(3)],
          [0, 0],
        ],
      ],
    });
    expect(chain.logZ).toBeCloseTo(log(41), 12);
    expect(difference(chain.nodes.flat(), [17 / 41, 24 / 41, 6 / 41, 35 / 41])).toBeLessThan(1e-12);
    expect(difference(chain.edges.flat(2), [2 / 41, 15 / 41, 4 / 41, 20 / 41])).toBeLessThan(1e-12);
    expect(chain.best).toEqual([1, 1]);
    expect(chain.bestScore).toBeCloseTo(log(20), 12);
    expect(chain.margin).toBeCloseTo(log(20 / 15), 12);
    expect(chain.posterior()).toEqual([1, 1]);
    expect(chain.logLoss([0, 1])).toBeCloseTo(log(41 / 15), 12);
    expect(chain.perceptronLoss([0, 0])).toBeCloseTo(log(10), 12);
  });

  it('leaves forbidden labels out', () => {
    const chain = new Enumeration({
      emissions: [
        [0, Number.NEGATIVE_INFINITY],
        [0, 0],
      ],
      transitions: [
        [],
        [
          [0, 0],
          [0, 0],
        ],
      ],
    });
    expect(chain.logZ).toBeCloseTo(Math.log(2), 12);
    expect(chain.nodes).toEqual([
      [1, 0],
      [0.5, 0.5],
    ]);
  });

  it('agrees with its recursion for longer sentences', () => {
    const random = new Random(11);
    for (let i = 0; i < 100; i += 1) {
      for (const scores of randomProblem(random).scores) {
        const chain = new Enumeration(scores);
        const recursion = logRecursion(scores);
        expect(difference([recursion.logZ], [chain.logZ])).toBeLessThan(1e-12);
        expect(difference(recursion.nodes.flat(), chain.nodes.flat())).toBeLessThan(1e-12);
        expect(difference(recursion.edges.flat(2), chain.edges.flat(2))).toBeLessThan(1e-12);
        expect(difference([recursion.bestScore], [chain.bestScore])).toBeLessThan(1e-12);
      }
    }
  });

  it('counts a NaN and a missing number as different', () => {
    expect(difference([Number.NaN], [0])).toBeNaN();
    expect(difference([1], [1, 2])).toBe(Number.POSITIVE_INFINITY);
    expect(difference([Number.NEGATIVE_INFINITY, 11], [Number.NEGATIVE_INFINITY, 10])).toBe(0.1);
  });
});
