import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { addWeights } from '../../../../src/engine/models/start/add-weights.js';
import { unionOf } from '../../../../src/engine/models/start/union-of.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { DirichletObjective } from '../../../../src/runtime/pipeline/pool/dirichlet-objective.js';
import { PoolObjective } from '../../../../src/runtime/pipeline/pool/pool-objective.js';
import {
  type PoolExpert,
  pooledModels,
} from '../../../../src/runtime/pipeline/pool/pooled-models.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { objectiveKernels, randomExperts, randomSentence } from './random-experts.js';

/** A label sequence of a pool, by the distributions of the experts themselves. */
interface PooledSequence {
  readonly tags: readonly string[];
  /** log prod_k p_k(y | x)^w_k. */
  readonly score: number;
}

/** Every label sequence of a sentence, written out from what each expert says of it by itself. */
function poolOf(experts: readonly PoolExpert[], weights: readonly number[], sentence: Sentence) {
  const scores = new Map<string, PooledSequence>();
  let logZs = 0;
  for (const [k, { model }] of experts.entries()) {
    const one = new Enumeration(scoresOf(model.parameters, model.encodeKnown(sentence)));
    logZs += weights[k]! * one.logZ;
    for (const { path, score } of one.ranked) {
      const tags = path.map(y => model.labels.name(y));
      const sofar = scores.get(tags.join(' '))?.score ?? 0;
      scores.set(tags.join(' '), { tags, score: sofar + weights[k]! * (score - one.logZ) });
    }
  }
  const all = [...scores.values()].sort((a, b) => b.score - a.score);
  const logZ = Math.log(all.reduce((sum, { score }) => sum + Math.exp(score), 0));
  return { best: all[0]!, second: all[1]!, logZ, logZs, scores };
}

const weightsOf = (random: Random, count: number) =>
  Array.from({ length: count }, () => 2 * random.uniform() - 0.5);

describe('a pool of linear chains is one linear chain', () => {
  it('has the log Z, the probabilities and the tags of the pool expert by expert', {
    tags: 'slow',
  }, () => {
    const random = new Random(11);
    let sentences = 0;
    // Farthest from the oracle: the chain before it is rounded, its file, and the tagger in float32.
    const worst = { exact: 0, file: 0, tagger: 0 };
    const note = (which: keyof typeof worst, difference: number) => {
      worst[which] = Math.max(worst[which], Math.abs(difference));
    };
    const rounds = process.env.TAGSTREAM_FULL === '1' ? 100 : 8;
    for (let round = 0; round < rounds; round += 1) {
      const experts = randomExperts(random, 2 + random.below(3));
      const weights = weightsOf(random, experts.length);
      const { bytes } = pooledModels(experts, { weights });
      // As it was before it was rounded for its file, and as it is read.
      const exact = unionOf(experts, kernels.simd64);
      experts.forEach(({ model }, k) => void addWeights(exact, model, { factor: weights[k]! }));
      const read = readModel(bytes, 'pool.model', kernels.simd64);
      const tagger = Tagger.fromBytes(bytes);
      for (let i = 0; i < 100; i += 1) {
        const sentence = randomSentence(random);
        const pool = poolOf(experts, weights, sentence);
        const whole = new Enumeration(scoresOf(exact.parameters, exact.encodeKnown(sentence)));
        // Z(x) = Z_LOP(x) prod_k Z_k(x)^w_k
        note('exact', whole.logZ - (pool.logZ + pool.logZs));
        for (const { path, score } of whole.ranked) {
          const tags = path.map(y => exact.labels.name(y)).join(' ');
          const logP = pool.scores.get(tags)!.score - pool.logZ;
          note('exact', score - whole.logZ - logP);
        }
        const rounded = new Enumeration(scoresOf(read.parameters, read.encodeKnown(sentence)));
        note('file', rounded.logZ - whole.logZ);
        const { tags, probability } = tagger.analyze(sentence.tokens, sentence.columns, {
          probability: true,
        });
        if (pool.best.score - (pool.second?.score ?? Number.NEGATIVE_INFINITY) < 1e-5) continue;
        expect(tags).toEqual(pool.best.tags);
        note('tagger', probability! - Math.exp(pool.best.score - pool.logZ));
        sentences += 1;
      }
    }
    expect(worst.exact).toBeLessThan(1e-10);
    expect(worst.file).toBeLessThan(1e-5);
    expect(worst.tagger).toBeLessThan(1e-4);
    expect(sentences).toBeGreaterThan(90 * rounds);
  });
});

describe.each(objectiveKernels)('the log loss of a pool, by $name $precision', kernel => {
  const random = new Random(5);
  const experts = randomExperts(random, 4);
  const sentences = Array.from({ length: 30 }, () => randomSentence(random));
  sentences.push({ ...randomSentence(random), weight: 2.5 });
  sentences.push({ ...sentences[0]!, tags: undefined } as never as Sentence);
  const union = unionOf(experts, kernel);
  const stores = experts.map(({ model }) => {
    const into = union.parameters.emptyCopy();
    addWeights(union, model, { into });
    return into;
  });
  const encoded = sentences.map(sentence => union.encode(sentence));
  const corpus = [packMinibatch(encoded.slice(0, 20)), packMinibatch(encoded.slice(20))];
  const objective = new PoolObjective(kernel, stores, corpus);
  const { space } = objective;

  it('is -log p(y* | x) by enumeration, times the weight of a sentence', () => {
    for (let i = 0; i < 5; i += 1) {
      const weights = weightsOf(random, experts.length);
      let expected = 0;
      for (const sentence of sentences) {
        if (sentence.tags === undefined) continue;
        const pool = poolOf(experts, weights, sentence);
        const { score } = pool.scores.get(sentence.tags.join(' '))!;
        expected += (sentence.weight ?? 1) * (pool.logZ - score);
      }
      const value = objective.evaluate(Float64Array.from(weights), space.vector());
      expect(Math.abs(value - expected)).toBeLessThan(1e-10 * Math.abs(expected));
    }
    expect(objective.sentences).toBe(31);
  });

  it('has the gradient of finite differences', () => {
    const gradient = space.vector();
    const weights = Float64Array.from(weightsOf(random, experts.length));
    objective.evaluate(weights, gradient);
    for (let k = 0; k < weights.length; k += 1) {
      const at = (step: number) =>
        objective.evaluate(
          weights.map((w, i) => (i === k ? w + step : w)),
          space.vector(),
        );
      const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
      expect(Math.abs(gradient[k]! - slope)).toBeLessThan(1e-6 * Math.max(1, Math.abs(slope)));
    }
  });

  it('has with a Dirichlet prior the gradient of finite differences', () => {
    const prior = 3.5;
    const prioring = new DirichletObjective(objective, prior);
    const free = Float64Array.from(weightsOf(random, experts.length));
    const gradient = prioring.space.vector();
    const valueAt = (v: Float64Array) => prioring.evaluate(v, prioring.space.vector());
    const value = prioring.evaluate(free, gradient);
    const sum = free.reduce((all, v) => all + Math.exp(v), 0);
    const weights = free.map(v => Math.exp(v) / sum);
    const logs = weights.reduce((all, w) => all + Math.log(w), 0);
    const plain = objective.evaluate(weights, space.vector());
    expect(Math.abs(value - (plain - (prior - 1) * logs))).toBeLessThan(1e-9 * Math.abs(value));
    for (let k = 0; k < free.length; k += 1) {
      const at = (step: number) => valueAt(free.map((v, i) => (i === k ? v + step : v)));
      const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
      expect(Math.abs(gradient[k]! - slope)).toBeLessThan(1e-6 * Math.max(1, Math.abs(slope)));
    }
  });

  it('counts partially labelled sentences with all that they allow', () => {
    const tokens = ['a', 'b', 'c', 'd'];
    const partialTags = ['X', ['X', 'Y'], null, 'Z'] as const;
    const { document, part } = sentences[0]!;
    const columns = { n: [0.5, -1, 0, 2] };
    const sentence = { tokens, columns, document, part, partialTags } as never as Sentence;
    const weights = [0.5, 1, -0.2, 0.7];
    const partial = new PoolObjective(kernel, stores, [packMinibatch([union.encode(sentence)])]);
    const pool = poolOf(experts, weights, sentence);
    let allowed = 0;
    for (const { tags, score } of pool.scores.values()) {
      if (tags[0] === 'X' && tags[1] !== 'Z' && tags[3] === 'Z') allowed += Math.exp(score);
    }
    const value = partial.evaluate(Float64Array.from(weights), partial.space.vector());
    expect(Math.abs(value - (pool.logZ - Math.log(allowed)))).toBeLessThan(1e-10);
  });
});

describe('the weights of a pool', () => {
  const random = new Random(11);
  const experts = randomExperts(random, 2);
  const heldOut = Array.from({ length: 12 }, () => randomSentence(random));

  it('have divergences that are those of the distributions by enumeration, as equation (55) needs them', () => {
    const weights = [0.3, 0.7];
    const { heldOut: losses } = pooledModels(experts, { heldOut, weights });
    const expected = [0, 0];
    let tokens = 0;
    for (const sentence of heldOut) {
      tokens += sentence.tokens.length;
      const pool = poolOf(experts, weights, sentence);
      const own = experts.map((_, k) => poolOf(experts, [+(k === 0), +(k === 1)], sentence));
      for (const [tags, { score }] of pool.scores) {
        const logP = score - pool.logZ;
        own.forEach(({ scores }, k) => {
          expected[k]! += Math.exp(logP) * (logP - scores.get(tags)!.score);
        });
      }
    }
    expect(losses!.tokens).toBe(tokens);
    losses!.divergences!.forEach((divergence, k) => {
      expect(Math.abs(divergence - expected[k]! / tokens)).toBeLessThan(1e-9);
    });
    const mixed = (of: readonly number[]) => weights[0]! * of[0]! + weights[1]! * of[1]!;
    expect(losses!.loss).toBeCloseTo(mixed(losses!.experts) - mixed(losses!.divergences!), 9);
  });

  it.each([1, 2, 20])(
    'with a prior of %d are those of the least posterior on a line of weights',
    { tags: 'slow' },
    prior => {
      const { weights } = pooledModels(experts, { heldOut, prior });
      expect(weights[0]! + weights[1]!).toBeCloseTo(1, 10);
      const at = (w: number) => {
        const { heldOut: losses } = pooledModels(experts, { heldOut, weights: [w, 1 - w] });
        return losses!.loss * losses!.tokens - (prior - 1) * (Math.log(w) + Math.log(1 - w));
      };
      let best = 0;
      for (let i = 1; i < 100; i += 1) if (best === 0 || at(i / 100) < at(best)) best = i / 100;
      expect(Math.abs(weights[0]! - best)).toBeLessThan(0.011);
    },
  );

  it('refuse a prior below 1, and one with given weights', () => {
    expect(() => pooledModels(experts, { heldOut, prior: 0.5 })).toThrow('at least 1');
    expect(() => pooledModels(experts, { heldOut, prior: 2, weights: [1, 0] })).toThrow('prior');
  });
});
