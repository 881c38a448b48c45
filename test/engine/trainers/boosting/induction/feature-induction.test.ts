import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../../src/engine/core/random.js';
import type { Iteration } from '../../../../../src/engine/core/training/trainer.js';
import { logLoss } from '../../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../../src/engine/models/create-model.js';
import { kernels } from '../../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../../src/engine/models/learning/settle-corpus.js';
import {
  CandidateGains,
  firstOfEquals,
  weightGain,
} from '../../../../../src/engine/trainers/boosting/induction/candidate-gains.js';
import { FeatureInduction } from '../../../../../src/engine/trainers/boosting/induction/feature-induction.js';
import { occurrencesOf } from '../../../../../src/engine/trainers/descent/occurrences.js';
import { Lbfgs } from '../../../../../src/engine/trainers/lbfgs/lbfgs.js';
import { Objective } from '../../../../../src/engine/trainers/objective.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../../contracts/oracle/scores-of.js';

const l2 = 0.3;

/** Random sentences whose tags depend on a letter, and on two columns together. */
function objectiveOf(
  templates: string,
  { weighted = false, support = 'observed' as 'observed' | 'all', sentences = 14 } = {},
): Objective {
  const model = createModel(
    { templates, columns: ['form', 'size'], support },
    undefined,
    kernels.simd64,
  );
  const random = new Random(91);
  const encoded = Array.from({ length: sentences }, (_, i) => {
    const length = 1 + random.below(4);
    const tokens = Array.from({ length }, () => 'abcd'[random.below(4)]!);
    const size = tokens.map(() => `${random.below(2) + 0.5}`);
    const tags = tokens.map((token, t) => {
      if (random.below(6) === 0) return 'XYZ'[random.below(3)]!;
      if (token === 'a') return 'X';
      return token < 'c' === size[t]!.startsWith('0') ? 'Y' : 'Z';
    });
    const part = { index: 0, count: 1, start: 0 };
    const weight = weighted ? { weight: [0, 0.5, 1, 3][i % 4]! } : {};
    return model.encode({ tokens, tags, columns: { size }, document: {}, part, ...weight });
  });
  const corpus = settleCorpus(model, encoded);
  model.reserve();
  return new Objective({
    kernel: model.kernel,
    parameters: model.parameters,
    corpus: [packMinibatch(corpus.slice(0, 5)), packMinibatch(corpus.slice(5))],
    loss: logLoss,
    l2,
  });
}

/** Random weights for a third of the parameters. */
function scatter(objective: Objective, random: Random): Float64Array {
  const weights = new Float64Array(objective.free.size).map(() =>
    random.below(3) === 0 ? random.normal() : 0,
  );
  objective.place(weights);
  return weights;
}

/** The maximum of a concave function between -20 and 20, by thirds. */
function highest(f: (x: number) => number): number {
  let [low, high] = [-20, 20];
  while (high - low > 1e-9) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (f(a) < f(b)) low = a;
    else high = b;
  }
  return f((low + high) / 2);
}

describe('the gain of a weight', () => {
  it.each([
    ['U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[0,0]/%x[0,1]', false],
    ['U0:%x[0,0]\nU1:%x[-1,0]', true],
    ['U0:%x[0,0]\nU1:%v[0,size]\nU2:%x[0,0]/%v[0,size]', true],
  ])(
    'is by how much it lowers the objective, where tokens are independent: %s',
    (templates, weighted) => {
      const objective = objectiveOf(templates, { weighted });
      const weights = scatter(objective, new Random(92));
      const gains = new CandidateGains(objective);
      gains.update(objective, objective.corpus);
      const gradient = new Float64Array(weights.length);
      const before = objective.evaluate(weights, gradient);
      let compared = 0;
      for (const [k, place] of objective.free.state.entries()) {
        if (weights[k] !== 0) continue;
        const changed = weights.slice();
        const gain = highest(x => {
          changed[k] = x;
          return before - objective.evaluate(changed, gradient);
        });
        objective.place(weights);
        expect(gains.gain(place, l2).gain).toBeCloseTo(gain, 7);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(8);
    },
  );

  it('tilts the enumerated marginals of each token, where there are transitions', () => {
    const objective = objectiveOf('U0:%x[0,0]\nU1:%x[0,1]\nB');
    scatter(objective, new Random(93));
    const { parameters, corpus } = objective;
    const gains = new CandidateGains(objective);
    gains.update(objective, corpus);
    const tokens = corpus.flatMap(({ sentences }) =>
      sentences.flatMap(sentence => {
        const { nodes } = new Enumeration(scoresOf(parameters, sentence));
        return nodes.map((p, t) => ({
          p,
          gold: sentence.gold![t]!,
          rows: sentence.stateRows.subarray(sentence.stateStarts[t]!, sentence.stateStarts[t + 1]!),
        }));
      }),
    );
    for (const place of objective.free.state) {
      const [row, y] = [Math.floor(place / parameters.width), place % parameters.width];
      const gain = highest(x =>
        tokens.reduce(
          (sum, { p, gold, rows }) => {
            if (!rows.includes(row)) return sum;
            return sum + x * +(gold === y) - Math.log(1 - p[y]! + p[y]! * Math.exp(x));
          },
          -l2 * x * x,
        ),
      );
      expect(gains.gain(place, l2).gain).toBeCloseTo(gain, 8);
    }
  });

  it('is that of the unsure tokens alone, by refitting a corpus without the others', () => {
    const objective = objectiveOf('U0:%x[0,0]\nU1:%x[0,1]\nU0:%x[0,0]&U1:%x[0,1]', {
      weighted: true,
    });
    const { kernel, parameters, loss, corpus } = objective;
    const weights = scatter(objective, new Random(96));
    const unsure = 0.5;
    const gains = new CandidateGains(objective, unsure);
    gains.update(objective, corpus);
    let [left, all] = [0, 0];
    // Each token as a sentence of its own: tokens are independent here.
    const tokens = corpus.flatMap(({ sentences }) =>
      sentences.flatMap(sentence => {
        const { nodes } = new Enumeration(scoresOf(parameters, sentence));
        return nodes.flatMap((p, t) => {
          all += 1;
          if (p[sentence.gold![t]!]! > unsure) return [];
          left += 1;
          const rows = sentence.stateRows.slice(
            sentence.stateStarts[t]!,
            sentence.stateStarts[t + 1]!,
          );
          return [
            {
              ...{ ...sentence, length: 1, gold: Int32Array.of(sentence.gold![t]!) },
              ...{ stateStarts: Uint32Array.of(0, rows.length), stateRows: rows },
            },
          ];
        });
      }),
    );
    expect(left).toBeGreaterThan(5);
    expect(left).toBeLessThan(all);
    const own = new Objective({ kernel, parameters, corpus: [packMinibatch(tokens)], loss, l2 });
    const gradient = new Float64Array(weights.length);
    const before = own.evaluate(weights, gradient);
    const occurs = new Set(
      tokens.flatMap(({ stateRows, gold, weight }) =>
        weight === 0 ? [] : Array.from(stateRows, row => row * parameters.width + gold[0]!),
      ),
    );
    const found = gains.best({ most: 1e6, least: 0, l2 }, () => false);
    expect(found.every(({ place }) => occurs.has(place))).toBe(true);
    for (const [k, place] of own.free.state.entries()) {
      if (weights[k] !== 0) continue;
      const changed = weights.slice();
      const gain = highest(x => {
        changed[k] = x;
        return before - own.evaluate(changed, gradient);
      });
      own.place(weights);
      expect(gains.gain(place, l2).gain).toBeCloseTo(gain, 7);
    }
  });

  it('is finite without a penalty, and 0 where all is as expected', () => {
    const sure = weightGain({ probabilities: Float64Array.of(0.5, 0.25), observed: 2 }, 0);
    expect(sure.gain).toBeCloseTo(Math.log(8), 8);
    const right = weightGain({ probabilities: Float64Array.of(0.5, 0.5), observed: 1 }, 1);
    expect([right.weight, right.gain]).toEqual([0, 0]);
  });
});

describe('the candidates of induction', () => {
  it('come by their gains, the best of all, however few are asked for', () => {
    const objective = objectiveOf('U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[0,0]/%x[0,1]\nU3:%x[-1,0]\nB');
    scatter(objective, new Random(94));
    const gains = new CandidateGains(objective);
    gains.update(objective, objective.corpus);
    const all = gains.best({ most: 1e6, least: 0, l2 }, () => false);
    expect(all.length).toBeGreaterThan(20);
    expect(all.every(({ gain }, i) => i === 0 || gain <= all[i - 1]!.gain)).toBe(true);
    const few = gains.best({ most: 5, least: 0, l2 }, () => false);
    expect(few).toEqual(all.slice(0, 5));
    const others = gains.best({ most: 5, least: 0, l2 }, place => place === all[1]!.place);
    expect(others).toEqual([all[0], ...all.slice(2, 6)]);
    const least = all[7]!.gain;
    expect(gains.best({ most: 1e6, least, l2 }, () => false)).toEqual(all.slice(0, 7));
  });

  it('are the first of those that are active at the same tokens with the same values', () => {
    const starts = Uint32Array.of(0, 2, 4, 4, 6, 8);
    const tokens = Uint32Array.of(1, 3, 1, 3, 1, 4, 1, 3);
    expect([...firstOfEquals({ starts, tokens })]).toEqual([1, 0, 0, 1, 0]);
    const values = Float64Array.of(1, 1, 1, 2, 1, 1, 1, 1);
    expect([...firstOfEquals({ starts, tokens, values })]).toEqual([1, 1, 0, 1, 0]);
  });
});

describe('feature induction', () => {
  const templates = 'U0:%x[0,0]\nU1:%x[0,1]\nU0:%x[0,0]&U1:%x[0,1]\nU3:%x[-1,0]\nB';
  const options = {
    ...{ rounds: 3, add: 3, least: 0, iterations: 4, l2 },
    create: (objective: Objective) =>
      new Lbfgs({ memory: 6, tolerance: 1e-9, decrease: 0, period: 10 } as never, objective),
  };

  function run(trainer: FeatureInduction, most = 500): Iteration[] {
    const done: Iteration[] = [];
    while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
    return done;
  }

  it('adds so many weights a round, whose minimum it comes to, and no others', () => {
    const objective = objectiveOf(templates, { sentences: 40 });
    const trainer = new FeatureInduction(options, objective);
    const steps = run(trainer);
    trainer.settle();
    const { parameters } = objective;
    const supported = parameters.support!.state.reduce((sum, byte) => sum + byte, 0);
    expect(supported).toBe(9);
    expect(parameters.weights.state.view.filter(weight => weight !== 0)).toHaveLength(9);
    expect(steps.at(-1)!.ending).toBeDefined();
    // An objective of the parameters that there are now.
    const { kernel, corpus, loss } = objective;
    const own = new Objective({ kernel, parameters, corpus, loss, l2 });
    const gradient = new Float64Array(own.free.size);
    expect(own.evaluate(own.weights(), gradient)).toBeCloseTo(steps.at(-1)!.objective, 9);
    expect(Math.max(...gradient.map(Math.abs))).toBeLessThan(1e-4);
    // Each round begins where the one before has ended.
    for (let i = 1; i < steps.length; i += 1) {
      expect(steps[i]!.objective).toBeLessThanOrEqual(steps[i - 1]!.objective + 1e-9);
    }
  });

  it('finds a conjunction where neither of its parts says anything', () => {
    const model = createModel(
      {
        templates: 'U0:%x[0,0]\nU1:%x[0,1]\nU0:%x[0,0]&U1:%x[0,1]',
        columns: ['form', 'size'],
        support: 'observed',
      },
      undefined,
      kernels.simd64,
    );
    const encoded = Array.from({ length: 40 }, (_, i) => {
      const [tokens, size] = [['ab'[i & 1]!], ['01'[(i >> 1) & 1]!]];
      const tags = [(i & 1) === ((i >> 1) & 1) ? 'same' : 'other'];
      const part = { index: 0, count: 1, start: 0 };
      return model.encode({ tokens, tags, columns: { size }, document: {}, part });
    });
    const corpus = [packMinibatch(settleCorpus(model, encoded))];
    model.reserve();
    const { kernel, parameters } = model;
    const objective = new Objective({ kernel, parameters, corpus, loss: logLoss, l2 });
    run(new FeatureInduction({ ...options, rounds: 1, add: 8 }, objective));
    const { locate } = { locate: model.extractor };
    locate.open(encoded[0]!.sentence);
    const { rows } = locate.locate('state', 1, model.stateIndex);
    const active = Array.from(rows, row =>
      parameters
        .support!.state.subarray(row * parameters.width, (row + 1) * parameters.width)
        .includes(1),
    );
    expect(active).toEqual([false, false, true]);
  });

  it.each([
    { singleRounds: 2, added: false },
    { singleRounds: 0, added: true },
    { singleRounds: 1, added: true },
  ])('chooses by brute force among what %j leaves', choice => {
    const objective = objectiveOf(templates, { sentences: 40 });
    const { parameters, corpus } = objective;
    const { width, stateRows } = parameters;
    // What is active at the tokens of two features, and nowhere else, is their conjunction: here by the order of templates.
    const parts = new Int32Array(2 * stateRows);
    for (const { stateRows: rows, stateStarts, tokens } of corpus) {
      for (let t = 0; t < tokens; t += 1) {
        const own = rows.subarray(stateStarts[t]!, stateStarts[t + 1]!);
        expect(own).toHaveLength(4);
        for (const row of own) parts.fill(row, 2 * row, 2 * row + 2);
        parts.set(own.subarray(0, 2), 2 * own[2]!);
      }
    }
    const trainer = new FeatureInduction(
      { ...options, ...choice, rounds: 4, add: 4, parts: () => parts },
      objective,
    );
    const { state } = parameters.support!;
    const isPair = (row: number) => parts[2 * row] !== parts[2 * row + 1];
    const isFirst = firstOfEquals(occurrencesOf(corpus, 'state', stateRows));
    let before = new Set<number>();
    let pairs = 0;
    for (let round = 0; round < 4; round += 1) {
      const gains = new CandidateGains(objective);
      // The trainer's last step is not in the parameters before it settles.
      trainer.settle();
      gains.update(objective, corpus);
      const has = (row: number) => [...before].some(place => Math.floor(place / width) === row);
      const wanted = [...objective.free.state]
        .filter(place => !before.has(place) && isFirst[Math.floor(place / width)] === 1)
        .filter(place => {
          const row = Math.floor(place / width);
          if (!isPair(row)) return true;
          if (round < choice.singleRounds) return false;
          return !choice.added || (has(parts[2 * row]!) && has(parts[2 * row + 1]!));
        })
        .map(place => ({ place, gain: gains.gain(place, l2).gain }))
        .sort((a, b) => b.gain - a.gain || a.place - b.place)
        .slice(0, 4)
        .map(({ place }) => place);
      for (let i = 0; i < options.iterations; i += 1) {
        trainer.iterate();
        if (i === 0) {
          const now = new Set([...state.keys()].filter(place => state[place] === 1));
          const added = [...now].filter(place => !before.has(place));
          expect(added.sort((a, b) => a - b)).toEqual(wanted.sort((a, b) => a - b));
          pairs += added.filter(place => isPair(Math.floor(place / width))).length;
          before = now;
        }
      }
    }
    expect(pairs).toBeGreaterThan(0);
  });

  it.each([1, 4, 5, 9])('resumes from a state after %i iterations to the same bytes', count => {
    const one = objectiveOf(templates, { sentences: 40 });
    const whole = new FeatureInduction(options, one);
    const iterations = run(whole);
    whole.settle();
    const first = objectiveOf(templates, { sentences: 40 });
    const stopped = new FeatureInduction(options, first);
    for (let i = 0; i < count; i += 1) stopped.iterate();
    stopped.settle();
    const second = objectiveOf(templates, { sentences: 40 });
    const { state, edges } = first.parameters.weights;
    second.parameters.weights.state.view.set(state.view);
    second.parameters.weights.edges.view.set(edges.view);
    const resumed = new FeatureInduction(options, second);
    resumed.restore(structuredClone(stopped.save()));
    expect(run(resumed)).toEqual(iterations.slice(count));
    resumed.settle();
    expect(second.parameters.weights.state.view).toEqual(one.parameters.weights.state.view);
    expect(second.parameters.weights.edges.view).toEqual(one.parameters.weights.edges.view);
  });

  it('ends where nothing is to be gained, and needs weights of single pairs', () => {
    const objective = objectiveOf('U0:%x[0,0]\nB');
    const steps = run(new FeatureInduction({ ...options, rounds: 50, least: 0.5 }, objective));
    expect(steps.at(-1)!.ending).toBe('decrease');
    const all = objectiveOf('U0:%x[0,0]\nB', { support: 'all' });
    expect(() => new FeatureInduction(options, all)).toThrow('support: observed');
  });
});
