import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import {
  conjugateGradient,
  presentCurvature,
} from '../../../../src/engine/trainers/conjugate/conjugate-gradient.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { objectiveOf, smallProblems } from '../small-problem.js';

/** The definition: variances of tokens by enumeration, those of plain transitions from the sum of their marginals. */
function naive(objective: Objective): Float64Array {
  const { parameters, corpus, free, l2 } = objective;
  const { labels, width, matrixSize, pairs } = parameters;
  const found = new Float64Array(free.size).fill(2 * l2);
  const states = new Map(Array.from(free.state, (at, k) => [at, k]));
  const edges = new Map(Array.from(free.edges, (at, k) => [at, free.state.length + k]));
  const add = (k: number | undefined, amount: number) => {
    if (k !== undefined) found[k]! += amount;
  };
  for (const sentence of corpus.flatMap(({ sentences }) => sentences)) {
    const all = new Enumeration(scoresOf(parameters, sentence));
    for (let t = 0; t < sentence.length; t += 1) {
      for (let i = sentence.stateStarts[t]!; i < sentence.stateStarts[t + 1]!; i += 1) {
        for (let y = 0; y < labels; y += 1) {
          const p = all.nodes[t]![y]!;
          add(states.get(sentence.stateRows[i]! * width + y), p * (1 - p));
        }
      }
    }
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        const cell = from * width + to;
        const sum = all.edges.reduce((total, edge) => total + edge[from]![to]!, 0);
        const n = sentence.length - 1;
        if (n > 0) add(edges.get(cell), sum * (1 - sum / n));
        for (let t = 1; t < sentence.length; t += 1) {
          const p = all.edges[t - 1]![from]![to]!;
          if (sentence.edgeStarts === undefined) continue;
          for (let i = sentence.edgeStarts[t]!; i < sentence.edgeStarts[t + 1]!; i += 1) {
            const feature = sentence.edgeRows![i]!;
            if (parameters.hasEdgeBlocks) add(edges.get(feature * matrixSize + cell), p * (1 - p));
            else {
              for (let slot = pairs.heads[feature]!; slot >= 0; slot = pairs.next[slot]!) {
                if (pairs.from[slot] !== from || pairs.to[slot] !== to) continue;
                add(free.state.length + free.edges.length + slot, p * (1 - p));
              }
            }
          }
        }
      }
    }
  }
  return found;
}

it.each(smallProblems)('the present curvature is that of the definition: $name', problem => {
  const objective = objectiveOf(problem);
  const random = new Random(5);
  for (let i = 0; i < 3; i += 1) {
    objective.place(objective.weights().map(() => random.normal()));
    const expected = naive(objective);
    const curvature = presentCurvature(objective, objective.parameters.addPlane());
    for (const [k, h] of curvature.entries())
      expect(Math.abs(h - expected[k]!)).toBeLessThan(1e-10);
    expect(Math.max(...curvature)).toBeGreaterThan(2 * objective.l2 + 0.2);
  }
});

it('conjugate gradients need the log loss for the present curvature, else a smooth one', () => {
  const options = (preconditioner: string) => conjugateGradient.options.parse({ preconditioner });
  const smooth = { ...hingeLoss, smooth: true };
  expect(conjugateGradient.needs!(options('present'), smooth)).toBe('log');
  expect(conjugateGradient.needs!(options('uniform'), smooth)).toBeUndefined();
  expect(conjugateGradient.needs!(options('none'), hingeLoss)).toBe(
    'log, or another that is smooth',
  );
});
