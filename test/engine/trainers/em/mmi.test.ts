import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import { RowChains } from '../../../../src/engine/optimizers/tables/row-chains.js';
import {
  smoothingShape,
  TableWriter,
} from '../../../../src/engine/optimizers/tables/table-writer.js';
import { countKnown } from '../../../../src/engine/trainers/em/count-known.js';
import { type MmiOptions, mmi, TableObjective } from '../../../../src/engine/trainers/em/mmi.js';
import { TableParameters } from '../../../../src/engine/trainers/em/table-parameters.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { modelWith } from '../../models/examples/model-with.js';
import {
  numberColumns,
  numberedCorpus,
  numberTemplates,
} from '../../models/examples/numbered-corpus.js';

const problems = process.env.TAGSTREAM_FULL === '1' ? 10_000 : 30;
const labels = ['X', 'Y'];

interface Asked {
  readonly n?: number;
  readonly components?: number;
  readonly covariance?: 'full' | undefined;
  readonly templates?: string;
}

function objectiveOf(sentences: readonly Sentence[], asked: Asked = {}) {
  const { n = 2, components = 1, covariance } = asked;
  const numbers = n === 0 ? '' : `${numberTemplates(n, false)}\n`;
  const model = modelWith(kernels.simd64, {
    templates: `${numbers}${asked.templates ?? 'U0:%x[0,0]\nU9:%suffix[0,0,1]'}`,
    ...{ columns: ['form', ...numberColumns(n)], scorer: 'hmm' },
    ...(components === 1 ? {} : { hidden: { states: components, spread: 0.1, seed: 5 } }),
    ...(covariance === undefined ? {} : { covariance }),
  });
  for (const label of labels) model.labels.intern(label);
  const encoded = settleCorpus(
    model,
    sentences.map(sentence => model.encode(sentence)),
  );
  model.reserve();
  const { kernel, parameters } = model;
  const corpus = [packMinibatch(encoded.slice(0, 5)), packMinibatch(encoded.slice(5))];
  return { model, objective: new Objective({ kernel, parameters, corpus, loss: jointLoss }) };
}

/** Words of one or two letters, whose classes are their last letters. */
function withWords(random: Random, sentences: readonly Sentence[]): Sentence[] {
  return sentences.map((sentence, i) => {
    const tokens = sentence.tokens.map(
      token => `${['', 'a', 'b', 'c'][random.below(4)]}${random.below(4) === 0 ? 'b' : token}`,
    );
    const { tags, ...rest } = { ...sentence, tokens };
    if (i % 4 !== 3) return { ...rest, tags: tags! };
    return { ...rest, partialTags: tags!.map(tag => (random.below(2) === 0 ? null : tag)) };
  });
}

/** - log p(y in A | x), h times - log p(x, y in A) beside, by enumeration. */
function definedLoss(
  { model }: ReturnType<typeof objectiveOf>,
  sentences: readonly Sentence[],
  components: number,
  joint: number,
): number {
  return sentences.reduce((sum, sentence) => {
    const scores = linearScoresOf(model.parameters, model.encodeKnown(sentence));
    const all = new Enumeration(scores).logZ;
    const emissions = scores.emissions.map((row, t) =>
      row.map((score, lane) => {
        const known = sentence.tags?.[t] ?? (sentence.partialTags?.[t] as string | null) ?? null;
        const fits = known === null || labels.indexOf(known) === Math.floor(lane / components);
        return fits ? score : Number.NEGATIVE_INFINITY;
      }),
    );
    const own = new Enumeration({ ...scores, emissions }).logZ;
    return sum + (sentence.weight ?? 1) * (all - own - joint * own);
  }, 0);
}

describe('the objective of mmi', () => {
  it(`is the conditional likelihood of distributions, in ${problems} random problems`, {
    tags: 'slow',
  }, () => {
    const random = new Random(1401);
    let compared = 0;
    for (let i = 0; i < problems; i += 1) {
      const n = random.below(4);
      const components = n > 0 ? 1 + random.below(2) : 1;
      const covariance = n > 1 && random.below(2) === 0 ? ('full' as const) : undefined;
      const made = numberedCorpus(random, 14, { n: Math.max(1, n), longest: 3 });
      const sentences = withWords(random, made);
      const problem = objectiveOf(sentences, { n, components, covariance });
      const { objective } = problem;
      const { parameters, free } = objective;
      const chains = new RowChains(parameters.layout.tables!);
      chains.reserve(parameters.stateRows);
      for (const { sentences: all } of objective.corpus) for (const each of all) chains.note(each);
      const smoothing = {
        ...{ k: [0.01, 0.7][i % 2]!, transitionK: 0.3, minCount: 1 + random.below(3) },
        ...{ varianceFloor: 1e-6, shrinkage: 0 },
      };
      const writer = new TableWriter(parameters.layout.tables!, smoothing, parameters, chains);
      const sums = parameters.addPlane();
      countKnown(objective, sums);
      const counted = writer.write(sums, parameters.weights);
      parameters.version += 1;
      const start = objective.weights();
      const entries = writer.entries.slice();
      const shape = { store: parameters, free, chains, entries, ...smoothing };
      const tables = new TableParameters(shape, start);
      // The tables that it starts from are those of counts.
      const again = new Float64Array(free.size);
      const prior = tables.place(tables.start, again);
      expect(difference(again, start)).toBeLessThan(1e-9);
      expect(Math.abs(prior - counted)).toBeLessThan(1e-8 * (1 + Math.abs(counted)));
      const joint = [0, 0.3][random.below(2)]!;
      const whole = new TableObjective(objective, tables, joint, sums);
      const at = tables.start.map(each => (each === 0 ? 0 : each + 0.2 * random.normal()));
      // Those of densities start at 0; others that are 0 are none.
      const probe = new Float64Array(free.size);
      whole.evaluate(tables.start, probe);
      for (let place = 0; place < at.length; place += 1) {
        if (probe[place] !== 0) at[place]! += 0.1 * random.normal();
      }
      const gradient = new Float64Array(free.size);
      const value = whole.evaluate(at, gradient);
      const logPrior = tables.place(at, again);
      const defined = definedLoss(problem, sentences, components, joint) - logPrior;
      expect(Math.abs(value - defined)).toBeLessThan(1e-9 * (1 + Math.abs(defined)));
      for (let place = 0; place < at.length; place += 1) {
        const h = 1e-5;
        const moved = [h, -h].map(step => whole.evaluate(at.with(place, at[place]! + step), probe));
        const slope = (moved[0]! - moved[1]!) / (2 * h);
        expect(Math.abs(slope - gradient[place]!)).toBeLessThan(1e-4 * (1 + Math.abs(slope)));
        if (gradient[place] !== 0) compared += 1;
      }
      whole.place(at);
      const { edges } = parameters.weights;
      for (let y = 0; y < labels.length * components; y += components) {
        let sum = 0;
        for (let z = 0; z < labels.length * components; z += components) {
          sum += Math.exp(edges.view[y * parameters.width + z]!);
        }
        expect(sum).toBeCloseTo(1, 10);
      }
    }
    expect(compared).toBeGreaterThan(20 * problems);
  });
});

describe('mmi', () => {
  function trainerOf(sentences: readonly Sentence[], options: Partial<MmiOptions>, asked?: Asked) {
    const made = objectiveOf(sentences, asked);
    const trainer = mmi.create(mmi.options.parse({ minCount: 1, ...options }), {
      objective: () => made.objective,
    });
    return { ...made, trainer };
  }

  function run({ trainer }: ReturnType<typeof trainerOf>, most: number): Iteration[] {
    const done: Iteration[] = [];
    while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
    return done;
  }

  it.each([
    [1, undefined],
    [1, 'full'],
    [2, 'full'],
  ] as const)(
    'makes labels likelier than counts do: %i components, %s',
    { tags: 'slow' },
    (components, covariance) => {
      const random = new Random(1402);
      const sentences = withWords(random, numberedCorpus(random, 60));
      const asked = { components, covariance };
      const options = { k: 0.1, transitionK: 0.1, iterations: 5 };
      const made = trainerOf(sentences, options, asked);
      const iterations = run(made, 200);
      for (const [i, { objective }] of iterations.entries()) {
        if (i > 0) expect(objective).toBeLessThanOrEqual(iterations[i - 1]!.objective + 1e-9);
      }
      made.trainer.settle?.();
      const before = trainerOf(sentences, options, asked);
      before.trainer.save();
      const [own, counted] = [made, before].map(each =>
        definedLoss(each, sentences, components, 0),
      );
      expect(own!).toBeLessThan(0.95 * counted!);
      // More of the joint loss keeps the tables nearer to counts.
      const held = trainerOf(sentences, { ...options, joint: 3 }, asked);
      run(held, 200);
      held.trainer.settle?.();
      const joint = (each: typeof made) =>
        definedLoss(each, sentences, components, 1) - definedLoss(each, sentences, components, 0);
      expect(joint(held)).toBeLessThan(joint(made));
    },
  );

  it('keeps the tables of words distributions', () => {
    const random = new Random(1404);
    const sentences = withWords(random, numberedCorpus(random, 60));
    const made = trainerOf(sentences, { k: 0.01 }, { n: 0, templates: 'U0:%x[0,0]' });
    run(made, 60);
    made.trainer.settle?.();
    const { model } = made;
    const words = [...new Set(sentences.flatMap(({ tokens }) => tokens))];
    const tokens = ['first', ...words, 'never'];
    const { emissions } = linearScoresOf(model.parameters, model.encodeKnown(sentenceOf(tokens)));
    for (const y of labels.keys()) {
      const all = emissions.slice(1).reduce((sum, row) => sum + Math.exp(row[y]!), 0);
      expect(all).toBeCloseTo(1, 10);
    }
  });

  it('resumes to the same bytes', () => {
    const random = new Random(1403);
    const sentences = withWords(random, numberedCorpus(random, 40));
    const asked = { components: 2, covariance: 'full' as const };
    const options = { iterations: 3, k: 0.1 };
    const whole = trainerOf(sentences, options, asked);
    const iterations = run(whole, 12);
    const first = trainerOf(sentences, options, asked);
    run(first, 5);
    const second = trainerOf(sentences, options, asked);
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 7)).toEqual(iterations.slice(5));
    for (const each of [whole, second]) each.trainer.settle?.();
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });

  it('has options that are checked', () => {
    for (const wrong of [{ joint: -1 }, { iterations: 0.5 }, { memory: 0 }, { k: 0 }]) {
      expect(mmi.options.safeParse(wrong).success).toBe(false);
    }
    expect(Object.keys(mmi.options.parse({}))).toEqual(
      expect.arrayContaining(Object.keys(smoothingShape)),
    );
  });
});
