import { expect, it } from 'vitest';
import { statisticRanges } from '../../../../src/engine/trainers/boosting/boosting-candidates.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { objectiveOf, smallProblems } from '../small-problem.js';

it.each(smallProblems)('the ranges of statistics are those of all sequences: $name', problem => {
  const objective = objectiveOf(problem);
  const { least, most } = statisticRanges(objective, 'mean');
  const sentences = objective.corpus.flatMap(minibatch => minibatch.sentences);
  const weights = new Float64Array(objective.free.size);
  for (let k = 0; k < weights.length; k += 1) {
    // With one weight of 1 the score of a sequence is the statistic.
    weights.fill(0);
    weights[k] = 1;
    objective.place(weights);
    const differences = sentences.flatMap(sentence => {
      const all = new Enumeration(scoresOf(objective.parameters, sentence));
      const gold = all.pathScore(sentence.gold!);
      return [all.ranked[0]!.score - gold, all.ranked.at(-1)!.score - gold];
    });
    expect([least[k], most[k]]).toEqual([Math.min(...differences), Math.max(...differences)]);
  }
  expect(Math.max(...most)).toBeGreaterThanOrEqual(2);
  expect(Math.min(...least)).toBeLessThanOrEqual(-2);
});

it.each(smallProblems)(
  'sums of absolute values take a plane only where they are used: $name',
  problem => {
    const objective = objectiveOf(problem);
    const { parameters, corpus } = objective;
    const planes: unknown[] = [];
    const addPlane = parameters.addPlane.bind(parameters);
    parameters.addPlane = () => {
      const plane = addPlane();
      planes.push(plane);
      return plane;
    };
    const mean = statisticRanges(objective, 'mean');
    expect([planes.length, mean.spans]).toEqual([2, undefined]);
    const { spans, ...ranges } = statisticRanges(objective, 'two-sided');
    expect(planes).toHaveLength(5);
    expect(ranges).toEqual(mean);
    const longest = Math.max(...corpus.flatMap(({ sentences }) => sentences.map(s => s.length)));
    expect(Math.max(...spans!)).toBeLessThanOrEqual(longest);
    for (const [k, span] of spans!.entries()) {
      expect(span).toBeGreaterThanOrEqual(Math.max(-mean.least[k]!, mean.most[k]!));
    }
  },
);
