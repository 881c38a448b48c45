import { describe, expect, it } from 'vitest';
import { chainedCorpus } from '../../../../src/engine/trainers/chains/chained-corpus.js';
import { ChainVisit } from '../../../../src/engine/trainers/descent/chain-visit.js';
import {
  ObservationVisit,
  observationsOf,
} from '../../../../src/engine/trainers/descent/observation-visit.js';
import { SentenceFinder } from '../../../../src/engine/trainers/descent/visited-sentences.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { smallProblems } from '../small-problem.js';
import { type Marking, markedObjective } from './marked-objective.js';

const markings: readonly Marking[] = [{}, { weighted: true, unlabelled: true }];

function expectClose(x: ArrayLike<number>, y: ArrayLike<number>, digits = 11): void {
  expect(x.length).toBe(y.length);
  for (let i = 0; i < x.length; i += 1) expect(x[i]).toBeCloseTo(y[i]!, digits);
}

/** Both kinds of visits of each observation that has tokens. */
function pairsOf(objective: Objective, isExact = false) {
  const chains = chainedCorpus(objective)!;
  chains.potentials.refresh();
  const finder = new SentenceFinder(objective.corpus);
  const seen = observationsOf(objective).flatMap(({ tokens, ...rest }) =>
    tokens === undefined || tokens.length === 0 ? [] : [{ ...rest, tokens }],
  );
  return seen.map(observation => ({
    chains,
    chain: () =>
      new ChainVisit(objective, finder, chains, observation, observation.blocks, isExact),
    plain: () => new ObservationVisit(objective, finder, observation, observation.blocks, isExact),
  }));
}

describe.each(smallProblems)('visits over shared potentials, $name', problem => {
  it.each(markings)('say what visits over minibatches say: %j', marking => {
    const objective = markedObjective(problem, marking);
    for (const { chain: made, plain } of pairsOf(objective)) {
      const chain = made();
      const other = plain();
      expect(chain.evaluate()).toBeCloseTo(other.evaluate(), 10);
      expectClose(chain.gradient, other.gradient);
      expectClose(chain.curvature, other.curvature);
      expect(chain.sentences.tokens).toBe(other.sentences.tokens);
    }
  });

  it('have the exact curvature of visits over minibatches', () => {
    const objective = markedObjective(problem, { weighted: true });
    for (const { chain: made, plain } of pairsOf(objective, true)) {
      const chain = made();
      const other = plain();
      chain.evaluate();
      other.evaluate();
      expectClose(chain.curvature, other.curvature);
    }
  });

  it('follow their weights, also where few of all transitions have any', () => {
    const objective = markedObjective(problem, { weighted: true });
    objective.place(objective.weights().map((w, i) => (i % 9 === 0 ? w : 0)));
    for (const { chain: made, chains, plain } of pairsOf(objective)) {
      const chain = made();
      for (const [k, w] of chain.weights.entries()) chain.weights[k] = k % 7 === 0 ? w - 1.5 : w;
      chain.place();
      const other = plain();
      expect([...other.weights]).toEqual([...chain.weights]);
      expect(chain.evaluate()).toBeCloseTo(other.evaluate(), 10);
      expectClose(chain.gradient, other.gradient);
      expect(chains.potentials.active.some(pairs => pairs !== undefined)).toBe(true);
    }
  });
});

describe('visits over shared potentials', () => {
  it('leave what is too large for them to careful visits, and continue after them', () => {
    const objective = markedObjective(smallProblems[2], {});
    const { chain: made, chains, plain } = pairsOf(objective)[0]!;
    const chain = made();
    const before = chain.weights.slice();
    const loss = chain.evaluate();
    chain.weights[0] = 150;
    chain.place();
    expect(chains.potentials.areSafe).toBe(false);
    const other = plain();
    expect(chain.evaluate()).toBe(other.evaluate());
    expect(chain.gradient).toEqual(other.gradient);
    chain.weights.set(before);
    chain.place();
    expect(chains.potentials.areSafe).toBe(true);
    expect(chain.evaluate()).toBe(loss);
  });

  it('are not for sentences labelled in part', () => {
    expect(chainedCorpus(markedObjective(smallProblems[0], { partial: true }))).toBeUndefined();
  });
});
