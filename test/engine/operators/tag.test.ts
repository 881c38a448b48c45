import { from, lastValueFrom, map, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import type { DecodeOptions } from '../../../src/engine/models/decoding/decode-options.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { assemble } from '../../../src/engine/operators/assemble.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { type TagOptions, tag } from '../../../src/engine/operators/tag.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../features/sentence-of.js';
import { CountingDelivery } from './counting-delivery.js';
import { numbered, Training } from './training.js';

/** A model that knows its ten sentences by heart. */
function trained(): Training {
  const training = new Training();
  for (let i = 0; i < 200; i += 1) training.step(training.batch(training.encoded(i % 10)));
  return training;
}

describe('tag', () => {
  it('gives each sentence of a minibatch its tags and score, in order', async () => {
    const { model, batch } = trained();
    const sentences = [0, 1, 2, 3, 4].map(i => numbered(i));
    const minibatches = [sentences.slice(0, 3), sentences.slice(3)].map(each =>
      batch(...each.map(sentence => model.encodeKnown(sentence))),
    );
    const seen = await lastValueFrom(from(minibatches).pipe(tag(model), toArray()));
    expect(seen.map(({ document }) => document.id)).toEqual(['0', '1', '2', '3', '4']);
    for (const [i, { tags: gold, ...sentence }] of sentences.entries()) {
      const { score, ...tagged } = seen[i]!;
      expect(tagged).toEqual({ ...sentence, tags: gold, gold });
      expect(score).toBeGreaterThan(1);
    }
  });

  it('scores the sum of the emission and transition scores of the tags', async () => {
    const { model, batch } = trained();
    const [tagged] = await lastValueFrom(
      of(batch(model.encodeKnown(sentenceOf(['w0', 'w1'])))).pipe(tag(model), toArray()),
    );
    const { weights, width, scale } = model.parameters;
    const [first, second] = model.encodeKnown(sentenceOf(['w0', 'w1'])).stateRows;
    const a = model.labels.find('A');
    const b = model.labels.find('B');
    const expected =
      weights.state.view[first! * width + a]! +
      weights.edges.view[a * width + b]! +
      weights.state.view[second! * width + b]!;
    expect(tagged!.tags).toEqual(['A', 'B']);
    expect(tagged!.score).toBeCloseTo(scale * expected, 6);
    expect(tagged).not.toHaveProperty('gold');
    expect(tagged).not.toHaveProperty('marginals');
  });

  it('leaves a column to taggers after it, and the gold tags to what learns from it', async () => {
    const { model } = trained();
    model.frozen = true;
    const learned = createModel({ templates: 'U:%x[0,part]/%x[0,0]' });
    const learner = createOnlineLearner(learned, { loss: logLoss, optimizer: sgd, corpusSize: 1 });
    const delivery = new CountingDelivery();
    const sentence = numbered(0, delivery);
    const parts = sentence.tags!;
    const gold = parts.map((_, t) => `N${t}`);
    const source = from(Array.from({ length: 9 }, () => ({ ...sentence, tags: gold }))).pipe(
      ...([featurize(model), batch(), tag(model, { into: 'part' })] as const),
    );
    const seen = await lastValueFrom(source);
    expect(seen).toMatchObject({ tags: parts, columns: { part: parts }, gold });
    await lastValueFrom(
      source.pipe(featurize(learned), batch(), contribute(learner), optimize(learner)),
    );
    expect(learned.labels.names).toEqual(gold);
    const tagged = (options: TagOptions) =>
      lastValueFrom(source.pipe(featurize(learned), batch(), tag(learned, options)));
    expect(await tagged({ into: 'name' })).toMatchObject({
      ...{
        tags: parts,
        gold,
        delivery,
        results: { name: gold },
        columns: { part: parts, name: gold },
      },
    });
    // Without a column its tags take the place of those before.
    expect(await tagged({})).toMatchObject({ tags: gold, results: { part: parts } });
    await expect(tagged({ into: 'part' })).rejects.toThrow('two taggers have their tags in');
    expect(() => tag(model, { into: 1 as never })).toThrow('tag.into');
  });

  it('adds the probability of each tag where it is asked for', async () => {
    const { model, batch } = trained();
    const minibatch = batch(model.encodeKnown(numbered(0)), model.encodeKnown(numbered(2)));
    const plain = await lastValueFrom(of(minibatch).pipe(tag(model), toArray()));
    const options = { marginals: true };
    const seen = await lastValueFrom(of(minibatch).pipe(tag(model, options), toArray()));
    for (const [i, { marginals, ...rest }] of seen.entries()) {
      expect(rest).toEqual(plain[i]);
      expect(marginals).toHaveLength(rest.tokens.length);
      for (const each of marginals!) expect(each > 0.5 && each < 1).toBe(true);
    }
  });

  it('chooses the best tag of each token for itself by posterior decoding', async () => {
    const { model, batch } = new Training();
    // Emissions 0; A A, B A and B B weigh exp 1, 7/8 and 3/4: the best pair starts with A, most do not.
    const encoded = model.encode(sentenceOf(['x', 'x'], { tags: ['A', 'B'] }));
    model.reserve();
    model.parameters.weights.edges.view.set([1, -9], 0);
    model.parameters.weights.edges.view.set([0.875, 0.75], model.parameters.width);
    const tagsOf = async (decoding: 'viterbi' | 'posterior') => {
      const seen = await lastValueFrom(
        of(batch(encoded)).pipe(tag(model, { decoding }), toArray()),
      );
      return [seen[0]!.tags.join(' '), seen[0]!.score];
    };
    expect(await tagsOf('viterbi')).toEqual(['A A', 1]);
    expect(await tagsOf('posterior')).toEqual(['B A', 0.875]);
  });

  it('takes steps: the tags that were predicted before they were learned from', async () => {
    const { model, learner, batch } = new Training();
    const sentences = Array.from({ length: 3 }, () => sentenceOf(['x', 'y'], { tags: ['A', 'B'] }));
    const seen = await lastValueFrom(
      from(sentences).pipe(
        map(sentence => batch(model.encode(sentence))),
        contribute(learner, { predict: true }),
        optimize(learner),
        tag(model),
        toArray(),
      ),
    );
    expect(seen.map(({ tags }) => tags.join(' '))).toEqual(['A A', 'A B', 'A B']);
    expect(seen.map(({ gold }) => gold)).toEqual(sentences.map(({ tags }) => tags));
  });

  it('tags what it learned nothing from: unlabelled sentences on a stream', async () => {
    const training = trained();
    const { model, learner, batch } = training;
    const { tags, ...unlabelled } = numbered(3);
    const seen = await lastValueFrom(
      of(batch(model.encode(unlabelled), model.encode(numbered(1)))).pipe(
        contribute(learner, { predict: true }),
        optimize(learner),
        tag(model),
        toArray(),
      ),
    );
    expect(seen[0]!.tags).toEqual(tags);
    expect(seen[0]).not.toHaveProperty('gold');
  });

  it('passes sentences of steps untagged before the first label', async () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 10 });
    const [x, y] = ['x', 'y'].map(word => sentenceOf([word, word, word]));
    const known = sentenceOf(['x', 'y'], { tags: ['A', 'B'] });
    const asked = { marginals: 'all', probability: true } as const;
    const late = { ...y!.document, late: { tags: [] } };
    const dropped = new CountingDelivery();
    const open = { partialTags: [null, null, null], delivery: dropped, document: late };
    const sentences = [x!, sentenceOf([]), { ...y!, ...open }, known, x!];
    const seen = await lastValueFrom(
      from(sentences).pipe(
        featurize(model),
        batch(),
        contribute(learner, { predict: true, ...asked }),
        optimize(learner),
        tag(model, asked),
        assemble({ scores: true, spans: true }),
        toArray(),
      ),
    );
    const cold = { document: x!.document, tokens: x!.tokens, tags: [], untagged: true };
    expect(seen[0]).toEqual(cold);
    expect(seen[1]).toMatchObject({ tokens: [], tags: [] });
    expect(seen[2]).toMatchObject({ gold: ['A', 'B'], scores: [expect.any(Number)] });
    expect(seen[3]!.tags).toHaveLength(3);
    expect(seen.map(({ untagged }) => untagged)).toEqual([true, undefined, undefined, undefined]);
    expect(dropped.calls).toEqual([1, 1, 0]);
  });

  it('gives an untagged sentence a column that later taggers can read', async () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 10 });
    const later = trained().model;
    const seen = await lastValueFrom(
      of(sentenceOf(['a', 'b'])).pipe(
        ...([featurize(model), batch(), contribute(learner, { predict: true })] as const),
        ...([optimize(learner), tag(model, { into: 'part' })] as const),
        ...([featurize(later), batch(), tag(later)] as const),
      ),
    );
    expect(seen).toMatchObject({ columns: { part: ['_', '_'] }, results: { part: ['_', '_'] } });
    expect(seen.tags).toHaveLength(2);
  });

  it('never tags a step by weights that have learned from it', async () => {
    const { model, learner, batch } = new Training();
    const encoded = model.encode(sentenceOf(['x', 'y'], { tags: ['A', 'B'] }));
    const tagged = (predict: boolean, options: DecodeOptions = {}) =>
      lastValueFrom(
        of(batch(encoded)).pipe(
          contribute(learner, { predict }),
          optimize(learner),
          tag(model, options),
        ),
      );
    await expect(tagged(false)).rejects.toThrow('no predictions to tag with');
    await expect(tagged(true, { nbest: 2 })).rejects.toThrow(
      'only be tagged with the best sequence',
    );
    for (const asked of [
      { marginals: true },
      { marginals: 'all' },
      { marginals: 'pairs', pairThreshold: 0.5 },
      { probability: true },
    ] as const) {
      await expect(tagged(true, asked)).rejects.toMatchObject({
        message: expect.stringContaining('the predictions have no probabilities'),
        fix: `call contribute with ${JSON.stringify({ predict: true, ...asked })}`,
      });
    }
    const { learner: other } = new Training();
    expect(() => contribute(other, { marginals: true })).toThrow(
      'probabilities require predictions',
    );
    await expect(tagged(true, { decoding: 'posterior' })).rejects.toThrow(
      'only be tagged with the best sequence',
    );
  });

  it('gives the score of the labels that were predicted', async () => {
    const { model, learner, batch } = trained();
    const encoded = model.encode(sentenceOf(['w0', 'w1']));
    const before = await lastValueFrom(of(batch(encoded)).pipe(tag(model)));
    const step = await lastValueFrom(
      of(batch(encoded)).pipe(
        contribute(learner, { predict: true }),
        optimize(learner),
        tag(model),
      ),
    );
    expect(step.tags).toEqual(before.tags);
    expect(step.score).toBeCloseTo(before.score, 10);
  });

  it('rejects sentences as long as no label is known', async () => {
    const { model, batch } = new Training();
    const encoded = model.encode(sentenceOf(['x']));
    const error = { code: 'unknown-label' };
    await expect(lastValueFrom(of(batch(encoded)).pipe(tag(model)))).rejects.toMatchObject(error);
  });

  it('tags with a model that still grows, and with its file', async () => {
    const { model, learner, batch } = trained();
    const grown = model.encode(sentenceOf(['new', 'w1'], { tags: ['C', 'B'] }));
    const [live] = await lastValueFrom(of(batch(grown)).pipe(tag(model), toArray()));
    expect(live!.tags[1]).toBe('B');
    const read = readModel(writeModel(learner));
    const known = read.encode(sentenceOf(['new', 'w1']));
    const [file] = await lastValueFrom(of(batch(known)).pipe(tag(read), toArray()));
    expect(file!.tags).toEqual(live!.tags);
  });

  it('passes deliveries on untouched', async () => {
    const { model, batch } = trained();
    const delivery = new CountingDelivery();
    const encoded = model.encodeKnown(numbered(0, delivery));
    const [tagged] = await lastValueFrom(of(batch(encoded)).pipe(tag(model), toArray()));
    expect(tagged!.delivery).toBe(delivery);
    expect(delivery.calls).toEqual([0, 0, 0]);
  });
});
