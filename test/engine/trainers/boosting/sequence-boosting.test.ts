import { describe, expect, it } from 'vitest';
import type { Iteration, Trainer } from '../../../../src/engine/core/training/trainer.js';
import { exponentialLoss } from '../../../../src/engine/losses/exponential-loss.js';
import {
  type BoostingBound,
  BoostingCandidates,
  statisticRanges,
  weighFalls,
} from '../../../../src/engine/trainers/boosting/boosting-candidates.js';
import { sequenceBoosting } from '../../../../src/engine/trainers/boosting/sequence-boosting.js';
import { lbfgs } from '../../../../src/engine/trainers/lbfgs/lbfgs.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { everyNth } from '../../../house/long-forms.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../small-problem.js';

function boosting(
  problem: SmallProblem,
  most = 1,
  overlap = false,
  bound: BoostingBound = 'mean',
): { trainer: Trainer; objective: Objective } {
  const objective = objectiveOf(problem, { loss: exponentialLoss, l2: 0 });
  const options = sequenceBoosting.options.parse({
    ...{ weights: most, overlap, bound, tolerance: 1e-9, decrease: 0 },
  });
  return { trainer: sequenceBoosting.create(options, { objective: () => objective }), objective };
}

function iterations(trainer: Trainer, count: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < count && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

/** The sentences whose loss a weight changes. */
function sentencesOf(objective: Objective, k: number): number[] {
  const weights = objective.weights();
  const [gradient, losses, others] = [
    new Float64Array(weights.length),
    new Float64Array(12),
    new Float64Array(12),
  ];
  objective.evaluate(weights, gradient, losses);
  const moved = weights.slice();
  moved[k]! += 0.1;
  objective.evaluate(moved, gradient, others);
  objective.place(weights);
  return [...losses.keys()].filter(s => losses[s] !== others[s]);
}

const bounds = ['mean', 'two-sided'] as const;
const cases = smallProblems.flatMap(problem => bounds.map(bound => ({ ...problem, bound })));

for (const { rows, tags } of everyNth(10, cases)) {
  describe.each(rows)('sequence boosting: $name, $bound', { tags }, ({ bound, ...problem }) => {
    it('falls in every iteration, by one weight', () => {
      const { trainer, objective } = boosting(problem, 1, false, bound);
      let before = objective.weights();
      let last = objective.evaluate(before, new Float64Array(before.length));
      for (let i = 0; i < 200; i += 1) {
        const { objective: value, ending } = trainer.iterate();
        const after = objective.weights();
        expect(after.filter((weight, k) => weight !== before[k])).toHaveLength(ending ? 0 : 1);
        if (ending !== undefined) break;
        expect(value).toBeLessThan(last);
        expect(objective.evaluate(after, new Float64Array(after.length))).toBe(value);
        last = value;
        before = after;
      }
    });

    it('falls in every iteration, by weights whose features share no sentence', () => {
      const { trainer, objective } = boosting(problem, 4, false, bound);
      let before = objective.weights();
      let last = objective.evaluate(before, new Float64Array(before.length));
      let several = 0;
      for (let i = 0; i < 100; i += 1) {
        const { objective: value, ending } = trainer.iterate();
        const after = objective.weights();
        const changed = [...after.keys()].filter(k => after[k] !== before[k]);
        if (ending !== undefined) break;
        expect(value).toBeLessThan(last);
        expect(changed.length).toBeGreaterThan(0);
        expect(changed.length).toBeLessThanOrEqual(4);
        if (changed.length > 1) several += 1;
        const seen = changed.flatMap(k => sentencesOf(objective, k));
        expect(new Set(seen).size).toBe(seen.length);
        last = value;
        before = after;
      }
      // Of the words around, none is without another in a sentence.
      expect(several > 0).toBe(problem.name !== 'words around');
    });

    it('falls in every iteration, and faster, by weights whose features share sentences', () => {
      const { trainer, objective } = boosting(problem, 8, true, bound);
      let last = Number.POSITIVE_INFINITY;
      let before = objective.weights();
      let shared = 0;
      for (let i = 0; i < 40; i += 1) {
        const { objective: value, ending } = trainer.iterate();
        if (ending !== undefined) break;
        expect(value).toBeLessThan(last);
        const after = objective.weights();
        const changed = [...after.keys()].filter(k => after[k] !== before[k]);
        expect(changed.length).toBeLessThanOrEqual(8);
        if (i < 3) {
          const seen = changed.flatMap(k => sentencesOf(objective, k));
          shared += seen.length - new Set(seen).size;
        }
        expect(objective.evaluate(after, new Float64Array(after.length))).toBe(value);
        before = after;
        last = value;
      }
      expect(shared).toBeGreaterThan(0);
      const apart = iterations(boosting(problem, 8, false, bound).trainer, 40);
      // By the two-sided bound both are near the infimum by then.
      expect(last).toBeLessThan(apart.at(-1)!.objective * (bound === 'mean' ? 1 : 1.005));
    });

    it('comes near the infimum that L-BFGS finds', () => {
      const { trainer } = boosting(problem, 1, false, bound);
      const done = iterations(trainer, 1500);
      const other = objectiveOf(problem, { loss: exponentialLoss, l2: 0 });
      const options = lbfgs.options.parse({ l2: 0, decrease: 0, tolerance: 1e-6 });
      const best = iterations(lbfgs.create(options, { objective: () => other }), 1000);
      const infimum = best.at(-1)!.objective;
      expect(done.at(-1)!.objective).toBeGreaterThan(infimum * (1 - 1e-6) - 1e-6);
      expect(done.at(-1)!.objective - infimum).toBeLessThan(0.02 * done[0]!.objective);
    });

    for (const { rows, tags } of everyNth(2, [
      [1, false],
      [8, true],
    ])) {
      it.each(rows)(
        'resumes from a saved state to the same bytes: %i weights, overlap %s',
        { tags },
        (most, overlap) => {
          const whole = boosting(problem, most, overlap, bound);
          const first = boosting(problem, most, overlap, bound);
          iterations(first.trainer, 6);
          const second = boosting(problem, most, overlap, bound);
          second.trainer.restore(structuredClone(first.trainer.save()));
          const expected = iterations(whole.trainer, 30).slice(6);
          expect(iterations(second.trainer, 24)).toEqual(expected);
          expect(second.objective.weights()).toEqual(whole.objective.weights());
          expect(expected.length).toBeGreaterThan(5);
        },
      );
    }
  });
}

/** What the differences of each statistic below and above 0 weigh, token by token, over all sequences. */
function signsByEnumeration(objective: Objective, weights: Float64Array) {
  const signs = Array.from(weights, () => ({ down: 0, up: 0 }));
  const one = new Float64Array(weights.length);
  for (const sentence of objective.corpus.flatMap(minibatch => minibatch.sentences)) {
    objective.place(weights);
    const { ranked } = new Enumeration(scoresOf(objective.parameters, sentence));
    const gold = Array.from(sentence.gold!);
    const right = ranked.find(({ path }) => path.every((y, t) => y === gold[t]))!;
    for (let k = 0; k < weights.length; k += 1) {
      one.fill(0);
      one[k] = 1;
      objective.place(one);
      const { emissions, transitions } = scoresOf(objective.parameters, sentence);
      const at = (path: readonly number[], t: number) =>
        emissions[t]![path[t]!]! + (t === 0 ? 0 : transitions[t]![path[t - 1]!]![path[t]!]!);
      for (const { path, score } of ranked) {
        for (let t = 0; t < path.length; t += 1) {
          const difference = at(path, t) - at(gold, t);
          const weighted = Math.abs(difference) * Math.exp(score - right.score);
          signs[k]![difference < 0 ? 'down' : 'up'] += weighted;
        }
      }
    }
  }
  objective.place(weights);
  return signs;
}

for (const { rows, tags } of everyNth(10, smallProblems)) {
  describe.each(rows)('the two-sided bound: $name', { tags }, problem => {
    const { trainer, objective } = boosting(problem, 1, false, 'two-sided');
    for (let i = 0; i < 5; i += 1) trainer.iterate();
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    const candidates = new BoostingCandidates(objective, 'two-sided');
    const value = candidates.evaluate(weights, gradient);
    const steps = candidates.best(gradient, weights.length, candidates.widest, true);
    const signs = signsByEnumeration(objective, weights);
    const states = objective.free.state.length;

    it('has the sums of each sign that all sequences have, of pairs of labels at least those', () => {
      const falls = new Float64Array(weights.length);
      weighFalls(objective, objective.parameters.addPlane(), falls);
      for (const [k, { down, up }] of signs.entries()) {
        expect(gradient[k]).toBeCloseTo(up - down, 8);
        if (k < states) expect(falls[k]).toBeCloseTo(down, 8);
        else expect(falls[k]).toBeGreaterThan(down - 1e-9);
      }
      expect(signs.filter(({ down, up }) => down > 0 && up > 0).length).toBeGreaterThan(5);
    });

    it('is above the objective wherever a weight goes, and lowest at the step', () => {
      expect(steps.length).toBeGreaterThan(5);
      const { spans } = statisticRanges(objective, 'two-sided');
      const moved = weights.slice();
      for (const { parameter: k, delta, decrease } of steps) {
        const go = (by: number) => {
          moved[k] = weights[k]! + by;
          return objective.evaluate(moved, new Float64Array(weights.length));
        };
        expect(go(delta)).toBeLessThan(value - decrease + 1e-9 * value);
        if (k < states) {
          const span = spans![k]!;
          const { down, up } = signs[k]!;
          const bound = (by: number) =>
            (up * Math.expm1(by * span) + down * Math.expm1(-by * span)) / span;
          expect(decrease).toBeCloseTo(-bound(delta), 8);
          for (const by of [-8, -3, -1, -0.3, -0.05, 0.05, 0.3, 1, 3, 8]) {
            // Where a sum is 0 the bound has no lowest point, and the step comes near it.
            expect(bound(by)).toBeGreaterThan(-decrease * 1.002 - 1e-9);
            expect(go(by)).toBeLessThan(value + bound(by) + 1e-9 * value);
          }
        }
        moved[k] = weights[k]!;
      }
    });

    it('takes shorter steps with smoothing, in the same directions, and falls as far as it says', () => {
      const smooth = new BoostingCandidates(objective, 'two-sided', 1);
      smooth.evaluate(weights, gradient);
      const shorter = smooth.best(gradient, weights.length, smooth.widest, true);
      const moved = weights.slice();
      for (const { parameter: k, delta, decrease } of shorter) {
        const step = steps.find(({ parameter }) => parameter === k)!;
        expect(Math.sign(delta)).toBe(Math.sign(step.delta));
        expect(Math.abs(delta)).toBeLessThan(Math.abs(step.delta));
        moved[k] = weights[k]! + delta;
        const moving = objective.evaluate(moved, new Float64Array(weights.length));
        expect(moving).toBeLessThan(value - decrease + 1e-9 * value);
        moved[k] = weights[k]!;
      }
      expect(shorter.length).toBe(steps.length);
    });

    it('falls further by the same number of steps than the bound of the mean', () => {
      const [twoSided, mean] = bounds
        .toReversed()
        .map(bound => iterations(boosting(problem, 1, false, bound).trainer, 40).at(-1)!.objective);
      expect(twoSided).toBeLessThan(mean!);
    });
  });
}

it('sequence boosting is for the exponential loss alone', () => {
  const objective = objectiveOf(smallProblems[0]);
  const options = sequenceBoosting.options.parse({});
  expect(() => sequenceBoosting.create(options, { objective: () => objective })).toThrow(
    'the optimizer boosting does not support the loss log',
  );
});
