import { describe, expect, it } from 'vitest';
import { joined } from '../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import {
  type Similarity,
  SupportVectors,
} from '../../../src/engine/kernels/vectors/support-vectors.js';
import { hingeLoss } from '../../../src/engine/losses/hinge-loss.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import {
  contentsOf,
  modelPieces,
  readModel,
  writeModel,
} from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { readSections, writeSections } from '../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../src/engine/models/model-spec.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { randomFeatures } from '../../../src/engine/trainers/margin/kernel-basis.js';
import { smo } from '../../../src/engine/trainers/margin/smo.js';
import { supportVectors } from '../../../src/engine/trainers/margin/support-vectors.js';
import type { TrainerComponent } from '../../../src/engine/trainers/trainer-component.js';
import { createLearner } from '../../../src/runtime/pipeline/learners/create-learner.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { modelWith } from './examples/model-with.js';

const random = new Random(43);
const word = () => ['ab', 'ba', 'ca', 'cb', 'aa', 'bc'][random.below(6)]!;
// A label follows from two features together: what either says alone does not tell it.
const records = Array.from({ length: 40 }, () => {
  const tokens = Array.from({ length: 1 + random.below(5) }, word);
  const tags = tokens.map((token, t) =>
    (token[0] === 'a') !== (tokens[t - 1]?.[1] === 'a') ? 'X' : 'Y',
  );
  return { tokens, tags };
});
const templates = 'U1:%suffix[-1,0,1]\nU2:%prefix[0,0,1]\nB';
const linear = { polynomial: { degree: 1, gamma: 1, constant: 0 } };
const squared = { polynomial: { degree: 2, gamma: 0.5, constant: 1 } };

/** A learner at the optimum, and how it came there. */
function trained(
  options: Readonly<Record<string, unknown>>,
  spec: Partial<ModelSpec> = {},
  trainer = supportVectors as unknown as TrainerComponent<never>,
) {
  const scorer = trainer.makes === undefined ? {} : { scorer: 'support-vectors' as const };
  const model = modelWith(kernels.simd64, { templates, ...scorer, ...spec });
  const given = trainer.options.parse({ l2: 0.1, ...options }) as never;
  const learner = createLearner(model, {
    loss: hingeLoss,
    optimizer: { kind: 'batch', component: trainer, options: given },
  });
  const encoded = records.map(({ tokens, tags }) => model.encode(sentenceOf(tokens, { tags })));
  learner.begin(settleCorpus(model, encoded));
  const objectives: number[] = [];
  while (!learner.ended && objectives.length < 300)
    objectives.push(learner.iterate().iteration!.objective);
  return { learner, objectives };
}

const sentences = Array.from({ length: 40 }, () =>
  sentenceOf(
    Array.from({ length: 1 + random.below(5) }, () => (random.below(9) === 0 ? 'new' : word())),
  ),
);

const { learner } = trained({ kernel: squared });
const bytes = writeModel(learner);

describe('random features', () => {
  const lists = [[0, 1, 2], [1, 2, 3], [4], [0, 0, 2, 5], []];
  const starts = Uint32Array.from([0, 3, 6, 7, 11, 11]);
  const tokens = { starts, rows: Uint32Array.from(lists.flat()) };
  const counts = lists.map(list =>
    Array.from({ length: 6 }, (_, row) => list.filter(one => one === row).length),
  );
  const product = (x: readonly number[], z: readonly number[]) =>
    x.reduce((sum, count, row) => sum + count * z[row]!, 0);
  const exact = (kernel: Similarity, x: readonly number[], z: readonly number[]) => {
    if ('rbf' in kernel) {
      const far = product(x, x) + product(z, z) - 2 * product(x, z);
      return Math.exp(-kernel.rbf.gamma * far);
    }
    const { degree, gamma, constant } = kernel.polynomial;
    return (gamma * product(x, z) + constant) ** degree;
  };
  const estimates = (kernel: Similarity, most: number, seed: number) => {
    const { mapped, size } = randomFeatures(kernel, tokens, most, seed);
    const of = (t: number) => [...mapped.subarray(t * size, (t + 1) * size)];
    return counts.map((_, x) => counts.map((__, z) => product(of(x), of(z))));
  };

  it.each([
    linear,
    squared,
    { polynomial: { degree: 3, gamma: 0.3, constant: 0.5 } },
    { rbf: { gamma: 0.3 } },
  ])(
    'estimate the kernel function without bias, the better the more there are: %j',
    { tags: 'slow' },
    kernel => {
      const seeds = 400;
      const spread = [16, 256].map(most => {
        let sum = 0;
        const all = Array.from({ length: seeds }, (_, seed) => estimates(kernel, most, seed));
        for (const [x, one] of counts.entries()) {
          for (const [z, other] of counts.entries()) {
            const found = all.map(table => table[x]![z]!);
            const mean = found.reduce((total, value) => total + value, 0) / seeds;
            const variance = found.reduce((total, value) => total + (value - mean) ** 2, 0) / seeds;
            const error = Math.abs(mean - exact(kernel, one, other));
            expect(error).toBeLessThan(5 * Math.sqrt(variance / seeds) + 1e-12);
            sum += variance;
          }
        }
        return sum;
      });
      // Sixteen times as many features: a sixteenth of the variance.
      expect(spread[0]! / spread[1]!).toBeGreaterThan(10);
      expect(spread[0]! / spread[1]!).toBeLessThan(24);
      const { mapped } = randomFeatures(kernel, tokens, 16, 7);
      expect(randomFeatures(kernel, tokens, 16, 7).mapped).toEqual(mapped);
      expect(randomFeatures(kernel, tokens, 16, 8).mapped).not.toEqual(mapped);
    },
  );

  it('have the exact value of a radial function for a token with itself', () => {
    for (const [x, row] of estimates({ rbf: { gamma: 0.3 } }, 7, 1).entries()) {
      expect(row[x]).toBeCloseTo(1, 14);
    }
  });
});

describe('max-margin training with a kernel function', () => {
  it('comes to the optimum of smo where the function is the scalar product', () => {
    const ours = trained({ kernel: linear }).objectives.at(-1)!;
    const theirs = trained({}, {}, smo as unknown as TrainerComponent<never>).objectives.at(-1)!;
    expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(2e-4 * theirs);
  });

  it.each([linear, squared, { rbf: { gamma: 0.5 } }])('closes the gap with %j', kernel => {
    const { learner: made, objectives } = trained({ kernel });
    expect(made.ended).toBe(true);
    expect(objectives.at(-1)!).toBeLessThan(objectives[0]!);
  });

  it.each([squared, { rbf: { gamma: 0.5 } }])(
    'learns conjunctions that no weight of a feature has: %j',
    kernel => {
      const wrong = (made: typeof learner) => {
        const tagger = Tagger.fromBytes(writeModel(made), { source: 'm.model' });
        return records
          .flatMap(({ tokens, tags }) => tagger.tag(tokens).map((tag, t) => tag !== tags[t]))
          .filter(Boolean).length;
      };
      expect(wrong(trained({ kernel }).learner)).toBe(0);
      const chain = trained({}, { templates: templates.replace('\nB', '') }, smo as never).learner;
      expect(wrong(chain)).toBeGreaterThan(5);
    },
  );

  it.each([squared, { rbf: { gamma: 0.5 } }])(
    'has one optimum, exactly or in the span of all tokens, and a higher one in that of few: %j',
    { tags: 'slow' },
    kernel => {
      const exact = trained({ kernel });
      const spanned = trained({ kernel, landmarks: 1000 });
      const [one, other] = [exact, spanned].map(({ objectives }) => objectives.at(-1)!) as [
        number,
        number,
      ];
      expect(Math.abs(one - other)).toBeLessThanOrEqual(2e-4 * one);
      const few = trained({ kernel, landmarks: 3 });
      expect(few.learner.ended).toBe(true);
      expect(few.objectives.at(-1)!).toBeGreaterThan(one);
      const tokensOf = ({ learner: made }: typeof exact) =>
        (made.deployedParameters().vectors as SupportVectors).tokens.starts.length - 1;
      expect(tokensOf(few)).toBeLessThanOrEqual(3);
      // The same functions in float32, whichever tokens they are said by.
      const [ours, theirs] = [exact, spanned].map(({ learner: made }) =>
        sentences.flatMap(sentence => {
          const encoded = made.model.encodeKnown(sentence);
          return scoresOf(made.deployedParameters(), encoded).emissions.flat();
        }),
      ) as [number[], number[]];
      expect(difference(ours, theirs)).toBeLessThan(0.05);
      expect(writeModel(trained({ kernel, landmarks: 3 }).learner)).toEqual(
        writeModel(few.learner),
      );
    },
  );

  it.each([squared, { rbf: { gamma: 0.5 } }])(
    'comes near the exact optimum by random features, the nearer the more there are: %j',
    { tags: 'slow' },
    kernel => {
      const exact = trained({ kernel }).objectives.at(-1)!;
      const gaps = [8, 512].map(features => {
        const { objectives } = trained({ kernel, random: features });
        return Math.abs(objectives.at(-1)! - exact) / exact;
      });
      expect(gaps[1]!).toBeLessThan(0.15);
      expect(gaps[1]!).toBeLessThan(gaps[0]!);
      const many = writeModel(trained({ kernel, random: 512 }).learner);
      expect(writeModel(trained({ kernel, random: 512 }).learner)).toEqual(many);
      const tagger = Tagger.fromBytes(many, { source: 'm.model' });
      const wrong = records.flatMap(({ tokens, tags }) =>
        tagger.tag(tokens).filter((tag, t) => tag !== tags[t]),
      );
      expect(wrong).toEqual([]);
      expect(() => supportVectors.options.parse({ kernel, random: 8, landmarks: 8 })).toThrow(
        /landmarks and random/,
      );
    },
  );

  it('keeps a budget of tokens, whose model is exact where it has enough', () => {
    const { tokens } = learner.deployedParameters().vectors as SupportVectors;
    const count = tokens.starts.length - 1;
    expect(writeModel(trained({ kernel: squared, budget: count }).learner)).toEqual(bytes);
    const less = trained({ kernel: squared, budget: 4 }).learner.deployedParameters();
    expect((less.vectors as SupportVectors).tokens.starts.length - 1).toBe(4);
  });

  it('gives the same bytes again, and whatever rows of the Gram matrix are kept', () => {
    expect(writeModel(trained({ kernel: squared }).learner)).toEqual(bytes);
    expect(writeModel(trained({ kernel: squared, cache: 1e-6 }).learner)).toEqual(bytes);
  });
});

describe.each(kernelRows)('a model of support vectors with the $name kernel', ({ kernel }) => {
  it('decodes what their definition says of all sequences', () => {
    const model = readModel(bytes, 'm.model', kernel);
    const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
    const decoded = new Decoder(kernel).decode(model.parameters, batch, { marginals: true });
    for (const [s, sentence] of batch.sentences.entries()) {
      const all = new Enumeration(scoresOf(model.parameters, sentence));
      const [first, end] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
      if (all.margin > 1e-4) expect([...decoded.labels.subarray(first, end)]).toEqual(all.best);
      const chosen = [...decoded.labels.subarray(first, end)].map((y, t) => all.nodes[t]![y]!);
      expect(difference(decoded.marginals!.subarray(first, end), chosen)).toBeLessThan(1e-4);
    }
  });
});

describe('the file of a model of support vectors', () => {
  it.each([
    ['exact', {}, squared],
    ['hashed', { index: { mode: 'hashed', rows: 64, edgeRows: 1 } as const }, squared],
    ['observed', { support: 'observed' as const }, squared],
    ['radial', {}, { rbf: { gamma: 0.5 } }],
  ])('gives the scores of the model in memory: %s', (_, spec, kernel) => {
    const { learner: made } = trained({ kernel }, spec);
    const read = readModel(writeModel(made), 'm.model', kernels.simd64);
    const deployed = made.deployedParameters();
    for (const sentence of sentences) {
      const ours = packMinibatch([made.model.encodeKnown(sentence)]);
      const theirs = packMinibatch([read.encodeKnown(sentence)]);
      const decoder = new Decoder(kernels.simd64);
      const own = decoder.decode(deployed, ours, { probability: true });
      const other = decoder.decode(read.parameters, theirs, { probability: true });
      expect(other.labels).toEqual(own.labels);
      expect(difference(other.probabilities!, own.probabilities!)).toBeLessThan(1e-9);
    }
  });

  it('has format version 4, and the same bytes when its contents are written again', () => {
    expect(() => readSections(bytes, 3, 'm')).toThrow(
      expect.objectContaining({ code: 'model-version' }),
    );
    expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
    const { vectors } = readModel(bytes).parameters;
    expect(vectors).toBeInstanceOf(SupportVectors);
    expect((vectors as SupportVectors).similarity).toEqual(squared);
  });

  it.each([
    ['starts', (values: number[]) => values.slice(0, -1)],
    ['starts', (values: number[]) => values.with(1, 4000000)],
    ['rows', (values: number[]) => values.with(0, 9999)],
    ['labels', (values: number[]) => values.with(0, 999)],
    ['weights', (values: number[]) => values.with(0, Number.NaN)],
    ['labelStarts', (values: number[]) => values.with(-1, 1)],
  ] as const)('is refused as damaged where its %s are wrong', (name, change) => {
    const file = readSections(bytes, 4, 'm');
    const { sections: _, ...header } = readModelHeader(bytes) as never as Record<string, unknown>;
    const sections = contentsOf(bytes).sections as Record<string, Float32Array>;
    const values = sections[`vectors.${name}`]!;
    const wrong = (values.constructor as Float32ArrayConstructor).from(change([...values]));
    const damaged = joined(writeSections(4, header, { ...sections, [`vectors.${name}`]: wrong }));
    expect(file.has(`vectors.${name}`)).toBe(true);
    expect(() => readModel(damaged, 'm.model')).toThrow(
      expect.objectContaining({ code: 'model-damaged' }),
    );
  });

  it('is summed up', () => {
    const { vectors } = inspectModel(readInspected(bytes, 'm.model'));
    const { tokens } = readModel(bytes).parameters.vectors as SupportVectors;
    const sizes = { tokens: tokens.starts.length - 1, weights: tokens.weights.length };
    expect(vectors).toEqual({ ...sizes, similarity: squared });
    expect(sizes.tokens).toBeGreaterThan(10);
  });

  it('is not explained', () => {
    expect(() => explainSentence(readModel(bytes), sentences[0]!)).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
  });
});
