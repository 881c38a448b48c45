import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { counts } from '../../../../src/engine/optimizers/counts.js';
import { stepwiseEm } from '../../../../src/engine/optimizers/stepwise-em.js';
import {
  cholesky,
  floored,
  inverseOf,
} from '../../../../src/engine/optimizers/tables/positive-definite.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { linearScoresOf, scoresOf } from '../../../contracts/oracle/scores-of.js';
import { flooredCovariance } from '../../../contracts/oracle/tables/floored-covariance.js';
import { MixtureTables } from '../../../contracts/oracle/tables/mixture-tables.js';
import { digest } from '../../models/examples/digest.js';
import { modelWith } from '../../models/examples/model-with.js';
import {
  numberColumns,
  numberedCorpus,
  numberedTokens,
  numberTemplates,
} from '../../models/examples/numbered-corpus.js';

const problems = process.env.TAGSTREAM_FULL === '1' ? 10_000 : 50;
const labels = ['X', 'Y'];

function specOf(n: number, more: object = {}) {
  return {
    ...{ templates: numberTemplates(n), columns: ['form', ...numberColumns(n)] },
    ...{ scorer: 'hmm' as const, covariance: 'full' as const, ...more },
  };
}

describe('full covariances', () => {
  it(`are counted as the definition has them, in ${problems} random problems`, {
    tags: 'slow',
  }, () => {
    const random = new Random(1301);
    for (let i = 0; i < problems; i += 1) {
      const n = 2 + random.below(4);
      const sentences = numberedCorpus(random, 30, { n });
      const options = { k: 0.1, transitionK: 0.5, minCount: 1 };
      const kernel = i % 2 === 0 ? kernels.simd64 : kernels.reference;
      const model = modelWith(kernel, specOf(n));
      for (const label of labels) model.labels.intern(label);
      const learner = createOnlineLearner(model, {
        ...{ loss: jointLoss, optimizer: counts, options, corpusSize: 100 },
      });
      const encoded = sentences.map(sentence => model.encode(sentence));
      for (let from = 0; from < 30; from += 7) {
        learner.apply(learner.contribute(packMinibatch(encoded.slice(from, from + 7))));
      }
      learner.optimizer.deploy(model.parameters.weights);
      const tables = new MixtureTables(
        sentences.map(({ tags, weight, ...rest }) => ({
          tokens: numberedTokens({ ...rest }),
          lanes: tags!.map(tag => labels.indexOf(tag)),
          weight: weight!,
        })),
        { labels: 2, components: 1, full: true, k: 0.1, transitionK: 0.5 },
      );
      for (const sentence of numberedCorpus(random, 3, { n })) {
        const found = linearScoresOf(model.parameters, model.encodeKnown(sentence));
        const expected = tables.scores(numberedTokens(sentence));
        expect(difference(found.emissions.flat(), expected.emissions.flat())).toBeLessThan(1e-8);
      }
    }
  });

  it('have eigenvalues of at least the floor, and keep those above it', () => {
    const random = new Random(1302);
    for (let i = 0; i < 200; i += 1) {
      const n = 1 + random.below(6);
      const rank = 1 + random.below(n);
      const rows = Array.from({ length: rank }, () =>
        Array.from({ length: n }, () => random.normal()),
      );
      const matrix = Float64Array.from({ length: n * n }, (_, at) =>
        rows.reduce((sum, row) => sum + row[Math.floor(at / n)]! * row[at % n]!, 0),
      );
      const raised = floored(matrix, n, 0.01);
      const table = Array.from({ length: n }, (_, p) => [...matrix.subarray(p * n, p * n + n)]);
      expect(difference(raised, flooredCovariance(table, 0.01).flat())).toBeLessThan(1e-9);
      const factor = new Float64Array(n * n);
      expect(cholesky(raised, n, factor)).toBe(true);
      const inverse = inverseOf(factor, n);
      const product = (a: Float64Array, b: Float64Array) =>
        Float64Array.from({ length: n * n }, (_, at) => {
          let sum = 0;
          for (let k = 0; k < n; k += 1)
            sum += a[Math.floor(at / n) * n + k]! * b[k * n + (at % n)]!;
          return sum;
        });
      const identity = Float64Array.from({ length: n * n }, (_, at) => Number(at % (n + 1) === 0));
      expect(difference(product(raised, inverse), identity)).toBeLessThan(1e-9);
      // x' S x >= floor x'x for any x, and what is added is only in the directions that lacked it.
      const x = Array.from({ length: n }, () => random.normal());
      const form = (m: Float64Array) =>
        x.reduce((sum, a, p) => sum + x.reduce((s, b, q) => s + a * b * m[p * n + q]!, 0), 0);
      const square = x.reduce((sum, a) => sum + a * a, 0);
      expect(form(raised)).toBeGreaterThanOrEqual(0.01 * square * (1 - 1e-9));
      expect(form(raised)).toBeLessThanOrEqual(form(matrix) + 0.01 * square * (1 + 1e-9));
      expect(form(raised)).toBeGreaterThanOrEqual(form(matrix) * (1 - 1e-9));
    }
  });

  it('are those of one column where shrinkage takes them all', () => {
    const sentences = numberedCorpus(new Random(1303), 60, { n: 3 });
    const [full, diagonal] = (['full', undefined] as const).map(covariance => {
      const model = modelWith(kernels.simd64, {
        ...specOf(3),
        ...(covariance === undefined ? { covariance: undefined } : {}),
      } as Parameters<typeof modelWith>[1]);
      const learner = createOnlineLearner(model, {
        ...{ loss: jointLoss, optimizer: counts, corpusSize: 100 },
        options: { shrinkage: covariance === undefined ? 0 : 1 },
      });
      learner.apply(learner.contribute(packMinibatch(sentences.map(each => model.encode(each)))));
      learner.optimizer.deploy(model.parameters.weights);
      return sentences.map(each => linearScoresOf(model.parameters, model.encodeKnown(each)));
    });
    const flat = (all: typeof full) => all!.flatMap(({ emissions }) => emissions.flat());
    expect(difference(flat(full), flat(diagonal))).toBeLessThan(1e-10);
  });

  it('are refused without numbers, and with other scorers', () => {
    const columns = ['form', 'a'];
    const make = (more: object) => () => createModel({ templates: 'U0:%x[0,0]', columns, ...more });
    expect(make({ scorer: 'hmm', covariance: 'full' })).toThrow('numbers of two columns');
    expect(make({ covariance: 'full' })).toThrow('only the scorer hmm');
    const hidden = { states: 2, spread: 0.1, seed: 1 };
    expect(make({ scorer: 'hmm', hidden })).toThrow('no template has numbers');
  });
});

describe('mixtures', () => {
  const hidden = { states: 3, spread: 0.1, seed: 2 };
  const spec = specOf(2, { hidden });

  function learnerOf(
    kernel: (typeof kernels)[keyof typeof kernels] = kernels.simd64,
    of: Parameters<typeof modelWith>[1] = spec,
  ) {
    const model = modelWith(kernel, of);
    for (const label of labels) model.labels.intern(label);
    return createOnlineLearner(model, {
      ...{ loss: jointLoss, optimizer: stepwiseEm, corpusSize: 100 },
      options: { minCount: 1, transitionK: 0.1 },
    });
  }

  function learn(learner: ReturnType<typeof learnerOf>, from: number, to: number) {
    const sentences = numberedCorpus(new Random(1310), 160);
    for (let i = from; i < to; i += 1) {
      const encoded = sentences.slice(8 * i, 8 * i + 8).map(each => learner.model.encode(each));
      learner.apply(learner.contribute(packMinibatch(encoded)));
    }
  }

  it('are summed in all that runs over labels, as enumeration does', { tags: 'slow' }, () => {
    for (const kernel of [kernels.simd64, kernels.reference]) {
      const learner = learnerOf(kernel);
      learn(learner, 0, 20);
      const { model } = learner;
      const decoder = new Decoder(kernel, model);
      for (const sentence of numberedCorpus(new Random(1311), 40)) {
        const encoded = model.encodeKnown(sentence);
        const lanes = linearScoresOf(model.parameters, encoded);
        const sumOf = (row: readonly number[], y: number) => {
          const own = row.slice(3 * y, 3 * y + 3);
          return Math.log(own.reduce((sum, score) => sum + Math.exp(score), 0));
        };
        const all = new Enumeration({
          emissions: lanes.emissions.map(row => [sumOf(row, 0), sumOf(row, 1)]),
          transitions: lanes.transitions.map(matrix =>
            [0, 3].map(from => [0, 3].map(to => matrix[from]![to]!)),
          ),
        });
        const batch = packMinibatch([encoded]);
        const found = decoder.decode(model.parameters, batch, { marginals: true, nbest: 3 });
        const lane = (path: readonly number[]) => path.map(y => 3 * y);
        expect([...found.labels]).toEqual(lane(all.best));
        expect(found.scores[0]!).toBeCloseTo(all.bestScore, 8);
        for (const [t, y] of all.best.entries()) {
          expect(found.marginals![t]!).toBeCloseTo(all.nodes[t]![y]!, 9);
        }
        const best = all.ranked.slice(0, 3);
        const ranked = found.nbest![0]!;
        expect(ranked.map(each => [...each.labels])).toEqual(best.map(({ path }) => lane(path)));
        for (const [i, { score }] of best.entries()) {
          expect(Math.log(ranked[i]!.probability)).toBeCloseTo(score - all.logZ, 8);
        }
      }
    }
  });

  const { covariance: _, ...diagonal } = spec;
  it.each([
    ['full', spec],
    ['diagonal', diagonal],
  ])('of %s covariances come apart online, and resume to the same bytes', (_name, of) => {
    const whole = learnerOf(kernels.simd64, of);
    learn(whole, 0, 20);
    const first = learnerOf(kernels.simd64, of);
    learn(first, 0, 8);
    const second = learnerOf(kernels.simd64, of);
    // The rows of what has been read.
    for (const each of numberedCorpus(new Random(1310), 64)) second.model.encode(each);
    second.model.reserve();
    second.restore(structuredClone(first.save()));
    for (const table of ['state', 'edges'] as const) {
      const to = second.model.parameters.weights[table].view;
      to.set(first.model.parameters.weights[table].view.subarray(0, to.length));
    }
    learn(second, 8, 20);
    expect(digest(writeModel(second))).toBe(digest(writeModel(whole)));
    // Each minibatch made a step.
    expect(whole.optimizer.stepSize).toBeCloseTo(22 ** -0.7, 12);
    const sentence = numberedCorpus(new Random(1), 1)[0]!;
    const { model } = whole;
    const [row] = linearScoresOf(model.parameters, model.encodeKnown(sentence)).emissions;
    expect(new Set(row!.map(score => score.toFixed(6))).size).toBe(6);
    const read = readModel(writeModel(whole));
    expect(read.parameters.layout.components).toEqual({ count: 3, seed: 2 });
    expect(scoresOf(read.parameters, read.encodeKnown(sentence)).emissions[0]!.length).toBe(6);
  });
});
