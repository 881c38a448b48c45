import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../../src/engine/core/minibatch/pack-minibatch.js';
import { scoreBatch } from '../../../../../src/engine/inference/score-batch.js';
import { Lattice } from '../../../../../src/engine/kernels/lattice.js';
import { Forest } from '../../../../../src/engine/kernels/trees/forest.js';
import { exponentialLoss } from '../../../../../src/engine/losses/exponential-loss.js';
import { logLoss } from '../../../../../src/engine/losses/log-loss.js';
import { ResidualSamples } from '../../../../../src/engine/trainers/boosting/trees/residual-samples.js';
import {
  type TreeBoostingOptions,
  treeBoosting,
} from '../../../../../src/engine/trainers/boosting/trees/tree-boosting.js';
import { Objective } from '../../../../../src/engine/trainers/objective.js';
import { batchLearnerOf } from '../../../../../src/runtime/pipeline/trainers/batch-learner-of.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../../../features/sentence-of.js';
import { treeObjective, treeTrainer } from './tree-problem.js';

/** The loss of the corpus by writing out all label sequences. */
function enumeratedLoss({ corpus, parameters }: Objective): number {
  return corpus
    .flatMap(({ sentences }) => sentences)
    .reduce((sum, sentence) => {
      const all = new Enumeration(scoresOf(parameters, sentence));
      return sum + sentence.weight! * (all.logZ - all.pathScore(sentence.gold!));
    }, 0);
}

describe('gradient tree boosting', () => {
  it('fits the slope of the loss in each potential of a token', () => {
    const { objective } = treeObjective({ sentences: 8, weighted: true });
    const trainer = treeTrainer(objective, { sample: 1 });
    for (let i = 0; i < 3; i += 1) trainer.iterate();
    trainer.settle();
    const { parameters, corpus } = objective;
    const { labels } = parameters;
    for (const batch of corpus) {
      const samples = new ResidualSamples(0);
      const contribution = objective.contribute(batch);
      for (const s of batch.sentences.keys()) {
        samples.add(contribution, s, batch.sentenceStarts[s]!, { labels, seesPrevious: false });
      }
      const found = new Map<string, { gradient: number; curvature: number }>();
      for (let i = 0; i < samples.size; i += 1) {
        for (let k = samples.starts[i]!; k < samples.starts[i + 1]!; k += 1) {
          const key = `${samples.tokens[i]} ${samples.labels[k]}`;
          found.set(key, { gradient: samples.gradients[k]!, curvature: samples.curvatures[k]! });
        }
      }
      expect(found.size).toBe(batch.tokens * labels);
      for (const [s, sentence] of batch.sentences.entries()) {
        const { emissions, transitions } = scoresOf(parameters, sentence);
        for (const [t, row] of emissions.entries()) {
          for (const y of row.keys()) {
            const at = (shift: number) => {
              const shifted = emissions.with(t, row.with(y, row[y]! + shift));
              const all = new Enumeration({ emissions: shifted, transitions });
              return sentence.weight! * (all.logZ - all.pathScore(sentence.gold!));
            };
            const own = found.get(`${batch.sentenceStarts[s]! + t} ${y}`)!;
            const step = 1e-4;
            expect(own.gradient).toBeCloseTo((at(step) - at(-step)) / (2 * step), 6);
            const bend = (at(step) - 2 * at(0) + at(-step)) / step ** 2;
            expect(own.curvature).toBeCloseTo(bend, 4);
          }
        }
      }
    }
  });

  it('fits the slope of the loss in each potential of a pair of labels, with the label before in view', () => {
    const { objective } = treeObjective({ sentences: 5, weighted: true });
    const trainer = treeTrainer(objective, { sample: 1, previous: true, shrinkage: 1 });
    for (let i = 0; i < 3; i += 1) trainer.iterate();
    trainer.settle();
    const { parameters, corpus } = objective;
    const { labels } = parameters;
    expect(parameters.forest!.seesPrevious).toBe(true);
    for (const batch of corpus) {
      const samples = new ResidualSamples(0);
      const contribution = objective.contribute(batch);
      for (const s of batch.sentences.keys()) {
        samples.add(contribution, s, batch.sentenceStarts[s]!, { labels, seesPrevious: true });
      }
      const found = new Map<string, { gradient: number; curvature: number }>();
      for (let i = 0; i < samples.size; i += 1) {
        for (let k = samples.starts[i]!; k < samples.starts[i + 1]!; k += 1) {
          const key = `${samples.tokens[i]} ${samples.previous[i]} ${samples.labels[k]}`;
          found.set(key, { gradient: samples.gradients[k]!, curvature: samples.curvatures[k]! });
        }
      }
      for (const [s, sentence] of batch.sentences.entries()) {
        const { emissions, transitions } = scoresOf(parameters, sentence);
        for (const [t, matrix] of transitions.entries()) {
          for (const [from, row] of matrix.entries()) {
            for (const y of row.keys()) {
              const at = (shift: number) => {
                const changed = matrix.with(from, row.with(y, row[y]! + shift));
                const all = new Enumeration({
                  emissions,
                  transitions: transitions.with(t, changed),
                });
                return sentence.weight! * (all.logZ - all.pathScore(sentence.gold!));
              };
              const own = found.get(`${batch.sentenceStarts[s]! + t} ${from} ${y}`);
              if (t === 0) {
                expect(own).toBeUndefined();
                continue;
              }
              const step = 1e-4;
              expect(own!.gradient).toBeCloseTo((at(step) - at(-step)) / (2 * step), 6);
              const bend = (at(step) - 2 * at(0) + at(-step)) / step ** 2;
              expect(own!.curvature).toBeCloseTo(bend, 4);
            }
          }
        }
      }
    }
  });

  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])(
    'lowers the loss in every round, perLabel: %s, previous: %s',
    { tags: 'slow' },
    (perLabel, previous) => {
      const { objective } = treeObjective({ weighted: true });
      const trainer = treeTrainer(objective, {
        sample: 1,
        shrinkage: 0.2,
        discard: 0,
        perLabel,
        previous,
      });
      let before = enumeratedLoss(objective);
      const first = before;
      const rounds = perLabel ? 8 : 25;
      for (let round = 1; round <= rounds; round += 1) {
        const { objective: reported, iteration } = trainer.iterate();
        expect(iteration).toBe(round);
        // What is reported is the loss that the round began with.
        expect(reported).toBeCloseTo(before, 8);
        trainer.settle();
        const now = enumeratedLoss(objective);
        expect(now).toBeLessThan(before);
        before = now;
      }
      expect(before).toBeLessThan(first / 1.8);
    },
  );

  it('learns what depends on two features at once', () => {
    const { model, objective } = treeObjective({ sentences: 120 });
    const trainer = treeTrainer(objective, { leafTokens: 3 });
    for (let i = 0; i < 40; i += 1) trainer.iterate();
    trainer.settle();
    const lattice = new Lattice(model.parameters.memory, model.parameters.precision);
    let right = 0;
    let all = 0;
    for (const { tokens, tags } of [
      { tokens: ['a', 'c', 'd', 'b', 'a'], tags: ['X', 'X', 'Y', 'X', 'Y'] },
      { tokens: ['c', 'b', 'b', 'd'], tags: ['Y', 'X', 'Y', 'X'] },
    ]) {
      const batch = packMinibatch([model.encodeKnown(sentenceOf(tokens))]);
      scoreBatch(model.kernel, model.parameters, lattice, batch);
      const labels = new Int32Array(tokens.length);
      model.kernel.viterbi(lattice, 0, labels);
      for (const [t, y] of labels.entries()) {
        all += 1;
        if (model.labels.name(y) === tags[t]) right += 1;
      }
    }
    expect(right).toBe(all);
  });

  it.each([false, true])('resumes from a saved state to the same bytes, previous: %s', previous => {
    const options = { sample: 0.5, depth: 3, leaves: 6, previous };
    const run = (rounds: number) => {
      const { objective } = treeObjective();
      const trainer = treeTrainer(objective, options, 5);
      const iterations = Array.from({ length: rounds }, () => trainer.iterate());
      return { trainer, objective, iterations };
    };
    const whole = run(12);
    const half = run(5);
    const { objective } = treeObjective();
    const resumed = treeTrainer(objective, options, 5);
    resumed.restore(structuredClone(half.trainer.save()));
    const rest = Array.from({ length: 7 }, () => resumed.iterate());
    expect(rest).toEqual(whole.iterations.slice(5));
    expect(resumed.save()).toEqual(whole.trainer.save());
    const { trainer: other } = { trainer: treeTrainer(treeObjective().objective, options, 6) };
    expect(other.iterate().objective).not.toBe(whole.iterations[0]!.objective);
  });

  it('refuses a state whose trees are none', () => {
    const { objective } = treeObjective();
    const trainer = treeTrainer(objective);
    trainer.iterate();
    const { json, arrays } = trainer.save();
    const restore = (wrong: Record<string, Uint32Array>) => () =>
      treeTrainer(treeObjective().objective).restore({ json, arrays: { ...arrays, ...wrong } });
    const error = expect.objectContaining({ code: 'checkpoint' });
    expect(restore({ 'trees.nodes': Uint32Array.of(1) })).toThrow(error);
    expect(restore({ 'trees.labels': Uint32Array.of(99) })).toThrow(error);
    expect(restore({})).not.toThrow();
  });

  it.each([false, true])(
    'continues from what the parameters have, trees that see the label before: %s',
    previous => {
      const { objective } = treeObjective();
      const first = treeTrainer(objective, { sample: 1, previous });
      for (let i = 0; i < 4; i += 1) first.iterate();
      first.settle();
      expect(objective.parameters.forest).toBeInstanceOf(Forest);
      const loss = enumeratedLoss(objective);
      const second = treeTrainer(objective, { sample: 1 });
      expect(second.iterate().objective).toBeCloseTo(loss, 8);
      expect(objective.parameters.forest!.trees.length).toBe(5);
    },
  );

  it('ends where nothing is left to fit', () => {
    const { objective } = treeObjective({ spec: { templates: 'U0:%x[0,0]' }, sentences: 3 });
    const trainer = treeTrainer(objective, { sample: 1, discard: 0.5 });
    let ending: string | undefined;
    for (let i = 0; i < 200 && ending === undefined; i += 1) ending = trainer.iterate().ending;
    expect(ending).toBe('gradient');
  });

  it('refuses what trees cannot do, with what to do about it', () => {
    const error = (fix: RegExp) =>
      expect.objectContaining({ code: 'config', fix: expect.stringMatching(fix) });
    const make = (given: Parameters<typeof treeObjective>[0]) => () =>
      treeTrainer(treeObjective(given).objective);
    const linear = treeObjective({ spec: { scorer: 'linear' } }).model;
    const options = treeBoosting.options.parse({}) as TreeBoostingOptions;
    expect(() => batchLearnerOf(treeBoosting, options, { model: linear, loss: logLoss })).toThrow(
      error(/use the scorer trees/),
    );
    expect(make({ loss: exponentialLoss })).toThrow(error(/loss: log/));
    expect(make({ spec: { templates: 'U:%x[0,0]\nB:%x[0,0]' } })).toThrow(error(/switch/));
    const { model, objective } = treeObjective();
    const partial = model.encodeKnown({ ...sentenceOf(['a', 'b']), partialTags: ['X', null] });
    const { kernel, parameters, loss } = objective;
    const known = new Objective({ kernel, parameters, loss, corpus: [packMinibatch([partial])] });
    expect(() => treeTrainer(known)).toThrow(error(/another optimizer/));
  });
});
