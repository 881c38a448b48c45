import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { type EmOptions, em } from '../../../../src/engine/trainers/em/em.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';
import {
  type LanedSentence,
  logNormal,
  type MixtureShape,
  MixtureTables,
} from '../../../contracts/oracle/tables/mixture-tables.js';
import { everyNth } from '../../../house/long-forms.js';
import { modelWith } from '../../models/examples/model-with.js';
import {
  numberColumns,
  numberedCorpus,
  numberedTokens,
  numberTemplates,
} from '../../models/examples/numbered-corpus.js';

const full = process.env.TAGSTREAM_FULL === '1';
const problems = full ? 10_000 : 25;
const labels = ['X', 'Y'];

interface Asked {
  readonly n?: number;
  readonly components?: number;
  readonly covariance?: 'full';
  readonly seed?: number;
  readonly options?: Partial<EmOptions>;
  readonly kernel?: Kernel;
  readonly word?: boolean;
}

function make(sentences: readonly Sentence[], asked: Asked = {}) {
  const { n = 2, components = 1, covariance, seed = 1, options = {}, word = true } = asked;
  const { kernel = kernels.simd64 } = asked;
  const model = modelWith(kernel, {
    ...{ templates: numberTemplates(n, word), columns: ['form', ...numberColumns(n)] },
    scorer: 'hmm',
    ...(components === 1 ? {} : { hidden: { states: components, spread: 0.1, seed } }),
    ...(covariance === undefined ? {} : { covariance }),
  });
  for (const label of labels) model.labels.intern(label);
  const encoded = settleCorpus(
    model,
    sentences.map(sentence => model.encode(sentence)),
  );
  model.reserve();
  const { parameters } = model;
  const half = Math.ceil(encoded.length / 2);
  const corpus = [packMinibatch(encoded.slice(0, half)), packMinibatch(encoded.slice(half))];
  const objective = new Objective({ kernel, parameters, corpus, loss: jointLoss });
  const chosen = em.options.parse({ minCount: 1, ...options });
  const trainer = em.create(chosen, { objective: () => objective, order: { seed, shuffle: true } });
  return { model, objective, trainer };
}

function run({ trainer }: ReturnType<typeof make>, most: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

/** Some sentences lose all labels, others some. */
function partly(random: Random, sentences: readonly Sentence[]): Sentence[] {
  return sentences.map((sentence, i) => {
    const { tags, ...rest } = sentence;
    if (i % 3 === 0) return sentence;
    const isHidden = () => i % 3 === 1 || random.below(2) === 0;
    return { ...rest, partialTags: tags!.map(tag => (isHidden() ? null : tag)) };
  });
}

function lanesOf(model: Model, sentence: Sentence): ChainScores {
  return linearScoresOf(model.parameters, model.encodeKnown(sentence));
}

/** Scores of lanes, those ruled out that the known labels do not allow. */
function allowed(scores: ChainScores, { tags, partialTags }: Sentence, components: number) {
  const emissions = scores.emissions.map((row, t) =>
    row.map((score, lane) => {
      const known = tags?.[t] ?? (partialTags?.[t] as string | null | undefined);
      const fits = known == null || labels.indexOf(known) === Math.floor(lane / components);
      return fits ? score : Number.NEGATIVE_INFINITY;
    }),
  );
  return new Enumeration({ ...scores, emissions });
}

/** EM by enumeration: the tables of the lanes that the model's scores expect. */
function expectedTables(model: Model, sentences: readonly Sentence[], shape: MixtureShape) {
  const laned = sentences.flatMap((sentence): LanedSentence[] => {
    const { ranked, logZ } = allowed(lanesOf(model, sentence), sentence, shape.components);
    return ranked.map(({ path, score }) => ({
      tokens: numberedTokens(sentence),
      lanes: path,
      weight: (sentence.weight ?? 1) * Math.exp(score - logZ),
    }));
  });
  return new MixtureTables(laned, shape);
}

const numbersOf = ({ emissions, transitions }: ChainScores) => [
  ...emissions.flat(),
  ...transitions.slice(1).flat(2),
];

describe('em of densities', () => {
  it(`has the tables that enumeration expects, of ${problems} random problems`, {
    tags: 'slow',
  }, () => {
    const random = new Random(1201);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < problems; i += 1) {
      const n = 1 + random.below(3);
      const components = 1 + random.below(2);
      const covariance = n > 1 && random.below(3) > 0 ? ('full' as const) : undefined;
      const shape: MixtureShape = {
        ...{ labels: 2, components, full: covariance === 'full' },
        ...{ k: [0.01, 0.5][i % 2]!, transitionK: [0.1, 1][random.below(2)]! },
      };
      const known = numberedCorpus(random, 12 * components + 8, { n, longest: 3 });
      const sentences = partly(random, known);
      const made = make(sentences, {
        ...{
          n,
          components,
          seed: i,
          options: { k: shape.k, transitionK: shape.transitionK, decrease: 0 },
        },
        ...(covariance === undefined ? {} : { covariance }),
        kernel: i % 5 === 0 ? kernels.reference : kernels.simd64,
      });
      made.trainer.iterate();
      for (let iteration = 0; iteration < 2; iteration += 1) {
        const tables = expectedTables(made.model, sentences, shape);
        const { objective } = made.trainer.iterate();
        let loss = 0;
        for (const sentence of sentences) {
          const expected = tables.scores(numberedTokens(sentence));
          const found = lanesOf(made.model, sentence);
          expect(difference(numbersOf(found), numbersOf(expected))).toBeLessThan(1e-7);
          loss -= (sentence.weight ?? 1) * allowed(expected, sentence, components).logZ;
        }
        const value = loss - tables.logPrior();
        expect(Math.abs(objective - value)).toBeLessThan(1e-8 * (1 + Math.abs(value)));
        least = Math.min(least, ...tables.covariances.map(each => each[0]![0]!));
      }
    }
    expect(least).toBeGreaterThan(1e-6);
  });

  for (const { rows, tags } of everyNth(2, [
    [1, 'full', 'labels'],
    [1, 'full', 'random'],
    [2, undefined, 'labels'],
    [3, 'full', 'labels'],
    [2, 'full', 'random'],
  ] as const)) {
    it.each(rows)(
      'never goes up: %i components, %s, from %s',
      { tags },
      (components, covariance, start) => {
        const random = new Random(1202);
        let fell = 0;
        for (let i = 0; i < 6; i += 1) {
          const sentences = partly(random, numberedCorpus(random, 40, { n: 2 + (i % 2) }));
          const made = make(sentences, {
            ...{ n: 2 + (i % 2), components, seed: i },
            // A floor that holds some eigenvalues up.
            options: { start, decrease: 1e-7, varianceFloor: [1e-6, 0.3][i % 2]! },
            ...(covariance === undefined ? {} : { covariance }),
          });
          const iterations = run(made, 2000);
          for (const [j, { objective }] of iterations.entries()) {
            expect(Number.isFinite(objective)).toBe(true);
            if (j === 0) continue;
            const before = iterations[j - 1]!.objective;
            expect(objective).toBeLessThanOrEqual(before + 1e-8 * (1 + Math.abs(before)));
            if (objective < before) fell += 1;
          }
          expect(iterations.at(-1)!.ending).toBeDefined();
        }
        expect(fell).toBeGreaterThan(20);
      },
    );
  }

  it('stays finite where a component is left with one token, or numbers depend on each other', () => {
    const sentences = numberedCorpus(new Random(1203), 30).map(sentence => ({
      ...sentence,
      columns: { n0: sentence.columns.n0!, n1: sentence.columns.n0! },
    }));
    for (const components of [1, 4]) {
      const made = make(sentences, { components, covariance: 'full', options: { decrease: 0 } });
      const iterations = run(made, 60);
      for (const { objective } of iterations) expect(Number.isFinite(objective)).toBe(true);
      const { state, edges } = made.model.parameters.weights;
      expect(state.view.every(Number.isFinite) && edges.view.every(Number.isFinite)).toBe(true);
    }
  });

  it('recovers the mixture with full covariances that numbers are drawn from', () => {
    const random = new Random(1204);
    const truth = [
      {
        share: 0.7,
        mean: [0, 0],
        covariance: [
          [1, 0.8],
          [0.8, 1],
        ],
      },
      {
        share: 0.3,
        mean: [4, -2],
        covariance: [
          [0.5, -0.3],
          [-0.3, 1],
        ],
      },
      {
        share: 0.4,
        mean: [-3, 4],
        covariance: [
          [1, 0],
          [0, 0.3],
        ],
      },
      {
        share: 0.6,
        mean: [1, 7],
        covariance: [
          [0.4, 0.2],
          [0.2, 0.5],
        ],
      },
    ];
    const stay = 0.8;
    const sentences = Array.from({ length: 300 }, () => {
      let y = random.below(2);
      const lanes = Array.from({ length: 20 }, () => {
        if (random.uniform() > stay) y = 1 - y;
        return 2 * y + Number(random.uniform() > truth[2 * y]!.share);
      });
      const rows = lanes.map(lane => {
        const { mean, covariance } = truth[lane]!;
        const [a, b] = [random.normal(), random.normal()];
        const one = Math.sqrt(covariance[0]![0]!);
        const two = covariance[1]![0]! / one;
        return [
          mean[0]! + one * a,
          mean[1]! + two * a + Math.sqrt(covariance[1]![1]! - two * two) * b,
        ];
      });
      const tokens = lanes.map(() => 'w');
      const [sentence] = numberedCorpus(new Random(1), 1);
      const { tags: _, weight: __, ...rest } = sentence!;
      return {
        ...{ ...rest, tokens },
        columns: { n0: rows.map(row => row[0]!), n1: rows.map(row => row[1]!) },
        partialTags: lanes.map((lane, t) => (t % 2 === 0 ? labels[Math.floor(lane / 2)]! : null)),
      };
    });
    const made = make(sentences, {
      ...{ components: 2, covariance: 'full', seed: 3, word: false },
      options: { transitionK: 0.01, decrease: 1e-9 },
    });
    run(made, 400);
    const points = [0, 1, 2, 3, 4, 5].map(i => [i - 2, 2 * i - 4]);
    const probe = { ...sentences[0]!, tokens: ['w', ...points.map(() => 'w')] };
    const { partialTags: _, ...bare } = probe;
    const columns = {
      n0: [0, ...points.map(point => point[0]!)],
      n1: [0, ...points.map(point => point[1]!)],
    };
    const { emissions, transitions } = lanesOf(made.model, { ...bare, columns });
    const densityOf = (y: number, point: readonly number[]) =>
      Math.log(
        [0, 1]
          .map(m => truth[2 * y + m]!)
          .map(
            ({ mean, covariance }, m) =>
              (m === 0 ? truth[2 * y]!.share : 1 - truth[2 * y]!.share) *
              Math.exp(logNormal(point, mean, covariance)),
          )
          .reduce((a, b) => a + b, 0),
      );
    for (const [i, point] of points.entries()) {
      for (const y of [0, 1]) {
        const row = emissions[i + 1]!.slice(2 * y, 2 * y + 2);
        const found = Math.log(row.reduce((sum, score) => sum + Math.exp(score), 0));
        const expected = densityOf(y, point);
        // Far out a small error of a variance is a large one of the density.
        if (expected > -7) expect(Math.abs(found - expected)).toBeLessThan(0.25);
      }
    }
    expect(Math.exp(transitions[1]![0]![0]!)).toBeCloseTo(stay, 1);
  });

  it('resumes to the same bytes', () => {
    const random = new Random(1205);
    const sentences = partly(random, numberedCorpus(random, 40));
    const asked = { components: 2, covariance: 'full' as const, options: { decrease: 1e-9 } };
    const whole = make(sentences, asked);
    const iterations = run(whole, 12);
    const first = make(sentences, asked);
    run(first, 4);
    const second = make(sentences, asked);
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 8)).toEqual(iterations.slice(4));
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });
});
