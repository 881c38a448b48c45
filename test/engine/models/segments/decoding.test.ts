import { beforeAll, describe, expect, it } from 'vitest';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { type Constraints, kernels, readModel, Tagger, train } from '../../../../src/index.js';

const corpus = [
  { tokens: ['Banco', 'de', 'España', 'abre'], tags: ['B-ORG', 'I-ORG', 'I-ORG', 'O'] },
  { tokens: ['en', 'España', 'hay', 'sol'], tags: ['O', 'B-LOC', 'O', 'O'] },
  { tokens: ['el', 'Banco', 'de', 'Madrid'], tags: ['O', 'B-ORG', 'I-ORG', 'I-ORG'] },
  { tokens: ['Madrid', 'y', 'España'], tags: ['B-LOC', 'O', 'B-LOC'] },
];
const request = {
  ...{ corpus, features: { templates: ['U:%x[0,0]', 'U1:%x[-1,0]', 'B'] }, epochs: 2 },
  ...{ trainer: { sgd: { eta0: 0.2, l2: 0.1 } }, kernel: kernels.simd64 },
};
const shape = { structure: 'segments', maxLength: 2 } as const;
const part = { index: 0, count: 1, start: 0 };
const tokens = ['el', 'Banco', 'de', 'España'];

/** All label sequences of the sentence with their probabilities: there are fewer than can be asked for. */
function everything(tagger: Tagger, more: { constraints?: Constraints } = {}) {
  return tagger.analyze(tokens, {}, { nbest: 1000, transitions: 'any', ...more }).nbest!;
}

describe.each([
  ['segments', {}],
  [
    'segments that see the label before them',
    { segmentFeatures: ['length', 'B:length', 'B:lower'] },
  ],
])('decoding with %s', (_, more) => {
  const shaped = { ...shape, ...more };
  let segments: Tagger;

  beforeAll(async () => {
    segments = (await train({ ...request, ...shaped })).tagger;
  });

  it('lists all label sequences, their probabilities adding up to 1', () => {
    const all = everything(segments);
    expect(all.length).toBe(4 ** 4);
    expect(all.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 10);
    expect(new Set(all.map(({ tags }) => tags.join())).size).toBe(all.length);
  });

  it.each([undefined, { 1: ['I-ORG', 'B-LOC'], 3: { not: ['O'] } }] as const)(
    'has marginals, probabilities of tags and of spans of that list (constraints %j)',
    constraints => {
      const more = constraints === undefined ? {} : { constraints: constraints as Constraints };
      const all = everything(segments, more);
      const asked = { marginals: true, probability: true, spanProbabilities: true } as const;
      const found = segments.analyze(tokens, {}, { ...asked, transitions: 'any', ...more });
      expect(found.tags).toEqual(all[0]!.tags);
      expect(found.probability).toBeCloseTo(all[0]!.probability, 10);
      expect(found.score).toBeCloseTo(all[0]!.score, 5);
      for (const [t, tag] of found.tags.entries()) {
        const sum = all.reduce((p, one) => p + (one.tags[t] === tag ? one.probability : 0), 0);
        expect(found.marginals![t]).toBeCloseTo(sum, 6);
      }
      expect(found.spans!.length).toBeGreaterThan(0);
      for (const { label, start, end, probability } of found.spans!) {
        const has = (tags: readonly string[]) =>
          spansOf(tags).some(one => one.label === label && one.start === start && one.end === end);
        const sum = all.reduce((p, one) => p + (has(one.tags) ? one.probability : 0), 0);
        expect(probability).toBeCloseTo(sum, 10);
      }
      if (constraints !== undefined) {
        expect(['I-ORG', 'B-LOC']).toContain(found.tags[1]);
        expect(found.tags[3]).not.toBe('O');
      }
    },
  );

  it.each(['posterior', 'minimum-risk'] as const)('takes the tags of %s', decoding => {
    const all = everything(segments);
    const { tags } = segments.analyze(tokens, {}, { decoding, transitions: 'any' });
    const right = (chosen: readonly string[]) =>
      all.reduce((sum, one) => {
        return sum + one.probability * chosen.filter((tag, t) => tag === one.tags[t]).length;
      }, 0);
    const best = Math.max(...all.map(one => right(one.tags)));
    expect(right(tags)).toBeCloseTo(best, 8);
  });

  it('is that of the chain where no span has a weight', async () => {
    const chain = await train(request);
    const model = readModel(chain.bytes);
    const same = readModel((await train({ ...request, ...shaped })).bytes);
    const { parameters } = same;
    parameters.weights.state.view.fill(0);
    const { width } = parameters;
    for (const { tokens: words, tags } of corpus) {
      const sentence = { tokens: words, tags, columns: {}, document: {}, part };
      const ours = same.encodeKnown(sentence);
      const theirs = model.encodeKnown(sentence);
      for (let k = 0; k < theirs.stateRows.length; k += 1) {
        const from = theirs.stateRows[k]! * width;
        const row = model.parameters.weights.state.view.subarray(from, from + width);
        parameters.weights.state.view.set(row, ours.stateRows[k]! * width);
      }
    }
    parameters.weights.edges.view.fill(0);
    parameters.weights.edges.view.set(model.parameters.weights.edges.view);
    expect(same.labels.names).toEqual(model.labels.names);
    const asked = {
      nbest: 20,
      marginals: true,
      probability: true,
      spanProbabilities: true,
    } as const;
    const [a, b] = [new Tagger(same), new Tagger(model)].map(by => by.analyze(tokens, {}, asked));
    expect(a!.tags).toEqual(b!.tags);
    expect(a!.probability).toBeCloseTo(b!.probability!, 6);
    for (const [i, { tags, probability }] of a!.nbest!.entries()) {
      expect(tags).toEqual(b!.nbest![i]!.tags);
      expect(probability).toBeCloseTo(b!.nbest![i]!.probability, 6);
    }
    for (const [t, p] of a!.marginals!.entries()) expect(p).toBeCloseTo(b!.marginals![t]!, 6);
    for (const [i, { probability }] of a!.spans!.entries()) {
      expect(probability).toBeCloseTo(b!.spans![i]!.probability!, 6);
    }
  });
});
