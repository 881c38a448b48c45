import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { PathDecoder } from '../../../../src/engine/models/decoding/row-decoder.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { trainVoted } from '../examples/train-voted.js';

/** Tags of chunks, made of those of the corpus. */
const names: Record<string, string> = { L0: 'O', L1: 'B-X', L2: 'I-X' };
const corpus = smallCorpus(new Random(3), 60, { labels: 3, words: 12, longest: 5 }).map(each => {
  let last = 'O';
  const tags = each.tags!.map(tag => {
    last = names[tag] === 'I-X' && last === 'O' ? 'B-X' : names[tag]!;
    return last;
  });
  return { ...each, tags };
});
const bytes = writeModel(trainVoted(corpus, { templates: 'U0:%x[0,0]\nU1:%x[-1,0]' }));
const model = readModel(bytes);

/** What each voter says by itself, as names of tags. */
function opinions(
  own: Model,
  sentence: Sentence,
  options = {},
): { tags: string[]; votes: number }[] {
  const { voters } = own.parameters;
  const batch = packMinibatch([own.encodeKnown(sentence)]);
  const decoder = new Decoder(own.kernel, own);
  return voters!.votes.map((votes, i) => {
    const { labels } = decoder.decode(voters!.at(i), batch, options);
    return { tags: Array.from(labels, label => own.labels.name(label)), votes };
  });
}

describe('decoding by votes', () => {
  const tagger = new Tagger(model);
  const all = model.parameters.voters!.votes.reduce((sum, votes) => sum + votes, 0);

  it('gives spans the share of the votes whose tags mark them', () => {
    let shared = 0;
    for (const sentence of corpus) {
      const { tags, spans, score } = tagger.analyze(
        sentence.tokens,
        {},
        { spanProbabilities: true },
      );
      const said = opinions(model, sentence);
      const votesFor = (wanted: (own: string[]) => boolean) =>
        said.reduce((sum, own) => (wanted(own.tags) ? sum + own.votes : sum), 0);
      expect(score).toBe(votesFor(own => own.join() === tags.join()));
      expect(spans!.map(({ probability: _, ...span }) => span)).toEqual(spansOf(tags));
      for (const { probability, ...span } of spans!) {
        const has = (own: string[]) =>
          spansOf(own).some(
            ({ start, end, label }) =>
              start === span.start && end === span.end && label === span.label,
          );
        expect(probability).toBe(votesFor(has) / all);
        if (probability! * all !== score) shared += 1;
      }
    }
    expect(shared).toBeGreaterThan(3);
  });

  it('holds every voter to the scheme, and so the winner', () => {
    const wrong = /^I|O,I/;
    const freely = corpus.flatMap(each => opinions(model, each, { transitions: 'any' }));
    expect(freely.filter(({ tags }) => wrong.test(tags.join())).length).toBeGreaterThan(20);
    const held = corpus.flatMap(each => opinions(model, each));
    expect(held.filter(({ tags }) => wrong.test(tags.join()))).toEqual([]);
    for (const { tokens } of corpus) expect(tagger.tag(tokens).join()).not.toMatch(wrong);
  });

  it('holds every voter to constraints, and refuses what none can meet', () => {
    for (const { tokens } of corpus) {
      const constraints = { 0: ['B-X'] };
      const { tags, nbest } = tagger.analyze(tokens, {}, { constraints, nbest: 9 });
      expect(nbest!.map(each => each.tags[0])).toEqual(nbest!.map(() => 'B-X'));
      expect(tags).toEqual(nbest![0]!.tags);
      const probabilities = nbest!.map(({ probability }) => probability);
      expect(probabilities).toEqual(probabilities.toSorted((a, b) => b - a));
    }
    const impossible = { constraints: { 0: ['I-X'] } };
    expect(() => tagger.analyze(['w1'], {}, impossible)).toThrow('constraint');
  });

  it('takes of sequences with as many votes the one of the earliest voter', () => {
    const one = (tag: string) => sentenceOf(['a'], { tags: [tag] });
    // First X, right twice, and then Y, right twice: X was voted for first.
    const words = [one('Z'), one('X'), one('X'), one('Y'), one('Y')];
    const tied = new Tagger(
      readModel(writeModel(trainVoted(words, { templates: 'U:%x[0,0]' }, { passes: 1 }))),
    );
    const { tags, score, nbest } = tied.analyze(['a'], {}, { nbest: 9 });
    expect(opinions(tied.model, one('X')).map(({ votes }) => votes)).toEqual([1, 2, 2]);
    expect(nbest!.map(each => [each.tags[0], each.score])).toEqual([
      ['X', 2],
      ['Y', 2],
      ['Z', 1],
    ]);
    expect([tags, score]).toEqual([['X'], 2]);
    // The other way through the voters.
    expect(tied.analyze(['a'], {}, { nbest: 9 })).toEqual(tied.analyze(['a'], {}, { nbest: 9 }));
    expect(tied.tag(['a'])).toEqual(['X']);
  });

  it.each(['posterior', 'minimum-risk'] as const)('has no decoding %s', decoding => {
    expect(() => tagger.analyze(['w1'], {}, { decoding })).toThrow(
      `a model of voters cannot decode by ${decoding}`,
    );
  });

  it('is not for what goes by one set of weights', () => {
    expect(PathDecoder.of(model, {})).toBeUndefined();
    expect(() => explainSentence(model, corpus[0]!)).toThrow(
      /\d+ weight vectors vote on the tags of the model/,
    );
  });
});
