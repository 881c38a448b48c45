import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import { structureOf } from '../../../../src/engine/inference/structures/structures.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';

/** Records of words that say their tags now and then. */
function records(tags: readonly string[], count: number): Document[] {
  const random = new Random(5);
  return Array.from({ length: count }, (_, id) => {
    const length = 2 + random.below(6);
    const own = Array.from({ length }, () => tags[random.below(tags.length)]!);
    const tokens = own.map(tag => (random.uniform() < 0.7 ? `w${tag}` : `v${random.below(3)}`));
    return { id, tokens, tags: own, links: [[0, length - 1, 'ends']] } as unknown as Document;
  });
}

const bio = ['O', 'B-PER', 'I-PER', 'B-LOC'];
const pairs = ['D|B', 'D|I', 'N|B', 'N|I'];
const cases: readonly [string, readonly string[], Partial<TrainRequest>, string][] = [
  ['hidden states', bio, { hidden: 2 }, 'feature'],
  ['layers', pairs, { layers: '|' }, 'feature'],
  ['parts', pairs, { parts: '|' }, 'feature'],
  ['codes', bio, { codes: { kind: 'exhaustive' } }, 'feature'],
  ['segments', bio, { structure: 'segments', maxLength: 3 }, 'segment'],
  ['graph', bio, { structure: 'graph' }, 'link'],
  [
    'features of links',
    bio,
    { structure: 'graph', linkFeatures: ['lower', 'shape:form', 'distance'] },
    'link',
  ],
] as never;

const sentenceOf = (document: Document): Sentence => ({
  ...{ tokens: document.tokens!, columns: {}, document },
  part: { index: 0, count: 1, start: 0 },
});

async function modelOf(tags: readonly string[], request: Partial<TrainRequest>): Promise<Model> {
  const { bytes } = await train({
    ...{ corpus: records(tags, 60), epochs: 4, kernel: kernels.simd64 },
    ...{ features: { templates: ['U0:%x[0,0]', 'U1:%x[-1,0]', 'B'] } },
    ...{ trainer: { sgd: { l2: 0.1 } } },
    ...request,
  } as TrainRequest);
  return readModel(bytes, 'm', kernels.simd64);
}

/** Score of labels, or of hidden states, by the kernel of the structure. */
function scorer(model: Model, sentence: Sentence): (path: readonly number[]) => number {
  const { kernel, parameters } = model;
  const lattice = new Lattice(parameters.memory, parameters.precision);
  scoreBatch(kernel, parameters, lattice, packMinibatch([model.encodeKnown(sentence)]));
  const own = structureOf(parameters.layout).kernel?.(kernel) ?? kernel;
  return path => own.pathScore(lattice, 0, Int32Array.from(path));
}

describe.each(cases)('an explanation by a model with %s', (_, tags, request, kind) => {
  it('adds up to the difference in score that the tag makes, from features of its parts', async () => {
    const model = await modelOf(tags, request);
    model.reserve();
    const { labels } = model;
    let compared = 0;
    const kinds = new Set<string>();
    for (const document of records(tags, 70).slice(60)) {
      const sentence = sentenceOf(document);
      const explained = explainSentence(model, sentence);
      const numberOf = ({ tag, state }: { readonly tag: string; readonly state?: string }) =>
        state === undefined ? labels.find(tag) : labels.columnNames.indexOf(state);
      const best = explained.map(numberOf);
      const scoreOf = scorer(model, sentence);
      for (const [t, { runnerUp, difference, contributions, probability }] of explained.entries()) {
        if (runnerUp === undefined) continue;
        compared += 1;
        expect(runnerUp.probability).toBeGreaterThan(0);
        expect(probability + runnerUp.probability).toBeLessThan(1 + 1e-9);
        const expected = scoreOf(best) - scoreOf(best.with(t, numberOf(runnerUp)));
        expect(Math.abs(difference! - expected)).toBeLessThan(1e-9);
        let sum = 0;
        for (const each of contributions) {
          sum += each.amount;
          kinds.add(each.kind);
          expect(each.amount).toBeCloseTo(each.chosen - each.runnerUp, 12);
          expect(each.columns).toMatch(/ \/ /);
          expect(each.name).not.toMatch(/^row /);
        }
        expect(Math.abs(sum - difference!)).toBeLessThan(1e-9);
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(kinds).toContain(kind);
  });
});

it('is of sums of scores: codes that are found by distance are refused', async () => {
  const model = await modelOf(bio, { codes: { kind: 'exhaustive', decoder: 'hamming' } } as never);
  const [document] = records(bio, 1);
  expect(() => explainSentence(model, sentenceOf(document!))).toThrow(/explanation/);
});
