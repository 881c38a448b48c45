import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { pointwiseLogLoss } from '../../../../src/engine/losses/pointwise/pointwise-log-loss.js';
import type { DecodeOptions } from '../../../../src/engine/models/decoding/decode-options.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { pruningLoss } from '../../../../src/engine/models/decoding/pruning-loss.js';
import { RowDecoder } from '../../../../src/engine/models/decoding/row-decoder.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
  writeParameters,
} from '../../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { adagrad } from '../../../../src/engine/optimizers/adagrad.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { modelWith } from '../examples/model-with.js';

const corpus = smallCorpus(new Random(8), 80, { labels: 19, words: 60, longest: 7 });
const prune = { most: 4, ratio: 0.05 };
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU3:%suffix[0,0,1]\nB';

function trained(spec: Partial<ModelSpec>, { kernel } = kernelRows[2]!): Model {
  const model = modelWith(kernel, { templates, support: 'observed', compressed: true, ...spec });
  const settled = settleCorpus(
    model,
    corpus.map(sentence => model.encode(sentence)),
  );
  const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd });
  for (let pass = 0; pass < 3; pass += 1) {
    for (let i = 0; i < settled.length; i += 5) {
      learner.apply(learner.contribute(packMinibatch(settled.slice(i, i + 5))));
    }
  }
  return readModel(writeModel(learner));
}

function decode(model: Model, sentences: readonly Sentence[], options?: DecodeOptions) {
  const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
  return new Decoder(model.kernel, model).decode(model.parameters, batch, options);
}

const model = trained({ prune });
const words = corpus.map(({ tokens }) => sentenceOf([...tokens, 'unknown']));

describe('a model whose labels are pruned', () => {
  it('learns nearly what it learns of all labels', () => {
    const whole = trained({});
    const right = (of: Model) => {
      const { labels } = decode(of, corpus);
      const gold = corpus.flatMap(({ tags }) => tags!);
      return gold.filter((tag, t) => of.labels.name(labels[t]!) === tag).length;
    };
    expect(right(model)).toBeGreaterThan(0.97 * right(whole));
  });

  it('keeps its option in its file', () => {
    expect(model.spec.prune).toEqual(prune);
    expect(model.parameters.layout.prune).toEqual(prune);
  });

  it('finds the same tags one by one, in batches, by rows and from a compact file', () => {
    const { labels } = decode(model, words);
    const alone = words.flatMap(sentence => [...decode(model, [sentence]).labels]);
    expect(alone).toEqual([...labels]);
    const batch = packMinibatch(words.map(sentence => model.encodeKnown(sentence)));
    const rows = { starts: batch.stateStarts, rows: batch.stateRows };
    const found = new RowDecoder(model, {}).decode(
      rows,
      batch.sentenceStarts,
      s => words[s]!.tokens,
    );
    expect([...found.labels.subarray(0, batch.tokens)]).toEqual([...labels]);
    expect(found.sentences).toBe(words.length);
  });

  it('has probabilities among what is left, which sum to 1', () => {
    const sentence = words[3]!;
    const options = { nbest: 1000, probability: true, marginals: true };
    const { nbest, probabilities, marginals } = decode(model, [sentence], options);
    const sum = nbest![0]!.reduce((all, { probability }) => all + probability, 0);
    expect(nbest![0]!.length).toBeLessThan(1000);
    expect(sum).toBeCloseTo(1, 5);
    expect(nbest![0]![0]!.probability).toBeCloseTo(probabilities![0]!, 6);
    expect(Math.min(...marginals!)).toBeGreaterThan(0);
    const posterior = decode(model, [sentence], { decoding: 'posterior', marginals: true });
    expect([...posterior.labels]).toHaveLength(sentence.tokens.length);
  });

  it('has any label that a constraint asks for, and leaves the other sentences of its batch as they are', () => {
    const { labels } = decode(model, words.slice(0, 9));
    for (const tag of model.labels.names) {
      const asked = { ...words[4]!, constraints: { 0: [tag] } };
      const sentences = words.slice(0, 9).map((sentence, s) => (s === 4 ? asked : sentence));
      const found = decode(model, sentences);
      expect(found.rejected).toBeUndefined();
      const first = sentences.slice(0, 4).reduce((sum, { tokens }) => sum + tokens.length, 0);
      expect(model.labels.name(found.labels[first]!)).toBe(tag);
      const end = first + asked.tokens.length;
      expect(found.labels.subarray(0, first)).toEqual(labels.subarray(0, first));
      expect(found.labels.subarray(end)).toEqual(labels.subarray(end));
    }
  });

  it('looks at all labels where it is asked to', () => {
    const whole = unpruned(model);
    const options = { prune: false, marginals: true };
    expect(decode(model, words, options)).toEqual(decode(whole, words, { marginals: true }));
    expect(explainSentence(model, corpus[2]!)).toEqual(explainSentence(whole, corpus[2]!));
  });

  it('looks at all labels where a tag scheme allows none of what is left', () => {
    const tagged = (text: string, tags: string) =>
      sentenceOf(text.split(' '), { tags: tags.split(' ') });
    const sentences = Array.from({ length: 20 }, () => [
      tagged('a b', 'B-X I-X'),
      tagged('c a b c', 'O B-X I-X O'),
    ]).flat();
    const single = modelWith(kernelRows[2]!.kernel, {
      templates: 'U:%x[0,0]\nB',
      prune: { most: 1, ratio: 0.5 },
    });
    const settled = settleCorpus(
      single,
      sentences.map(sentence => single.encode(sentence)),
    );
    const learner = createOnlineLearner(single, { loss: logLoss, optimizer: sgd });
    for (const each of settled) learner.apply(learner.contribute(packMinibatch([each])));
    const tagsOf = (text: string) =>
      [...decode(single, [sentenceOf(text.split(' '))]).labels].map(y => single.labels.name(y));
    expect(tagsOf('c a b')).toEqual(['O', 'B-X', 'I-X']);
    expect(['B-X', 'O']).toContain(tagsOf('b')[0]);
  });

  it('says what pruning costs', () => {
    const encoded = corpus.map(sentence => model.encodeKnown(sentence));
    const loss = pruningLoss(model, model.parameters, encoded)!;
    const tokens = corpus.reduce((sum, each) => sum + each.tokens.length, 0);
    expect(loss.tokens).toBe(tokens);
    expect(loss.labels).toBeGreaterThan(1);
    expect(loss.labels).toBeLessThanOrEqual(4);
    expect(loss.lost).toBeGreaterThan(0);
    expect(loss.lost).toBeLessThan(tokens / 4);
    expect(loss.unprunedAccuracy).toBeGreaterThan(50);
    expect(pruningLoss(trained({}), model.parameters, [])).toBeUndefined();
  });

  it('refuses losses and optimizers that go over all labels, and transitions of observations', () => {
    const empty = modelWith(model.kernel, { templates, prune });
    const learner = createOnlineLearner(empty, {
      loss: pointwiseLogLoss,
      optimizer: sgd,
      corpusSize: 3,
    });
    const batch = packMinibatch([empty.encode(corpus[0]!)]);
    expect(() => learner.contribute(batch)).toThrow(/needs all labels.*leave prune out/);
    expect(() => createOnlineLearner(empty, { loss: logLoss, optimizer: adagrad })).toThrow(
      /adagrad needs all labels/,
    );
    expect(() => modelWith(model.kernel, { templates: 'U:%x[0,0]\nB0:%x[0,0]', prune })).toThrow(
      /labels that are pruned cannot have transitions conditioned on the text/,
    );
  });
});

/** The same weights in a model that prunes nothing. */
function unpruned({ spec, labels, stateIndex, edgeIndex, parameters }: Model): Model {
  const { prune: _, ...rest } = spec;
  const whole = new Model(rest, { labels, stateIndex, edgeIndex, parameters });
  return readTaggingModel(writeParameters(whole, parameters));
}
