import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { oneStandardError } from '../../../../src/engine/metrics/evaluation/one-standard-error.js';

it('chooses what the definition does, setting by setting', () => {
  const random = new Random(5);
  for (let trial = 0; trial < 500; trial += 1) {
    const folds = 2 + random.below(4);
    const settings = [0, 1, 2].flatMap(l1 =>
      [0, 1].map(l2 => ({
        penalties: [l1, l2],
        scores: Array.from({ length: folds }, () => random.below(4)),
      })),
    );
    const order = settings.map((_, i) => i);
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    const given = order.map(i => settings[i]!);
    const { best, chosen, least } = oneStandardError(given);
    const sums = given.map(({ scores }) => scores.reduce((a, b) => a + b, 0));
    const strength = given.map(({ penalties: [l1, l2] }) => 10 * l1! + l2!);
    const most = Math.max(...sums);
    const top = strength.filter((_, i) => sums[i] === most);
    expect(strength[best]).toBe(Math.max(...top));
    // Variance by squares of pairs: sum over i < j of (a - b)^2 / (K (K - 1)).
    const { scores } = given[best]!;
    let squares = 0;
    for (let i = 0; i < folds; i += 1) {
      for (let j = 0; j < i; j += 1) squares += (scores[i]! - scores[j]!) ** 2;
    }
    const error = Math.sqrt(squares / (folds * (folds - 1)) / folds);
    expect(least).toBeCloseTo(most / folds - error, 10);
    const within = strength.filter((_, i) => sums[i]! / folds >= least);
    expect(strength[chosen]).toBe(Math.max(...within));
  }
});
