import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../features/sentence-of.js';
import { syntheticCorpus } from './examples/synthetic-corpus.js';
import { train } from './examples/train.js';

const corpus = syntheticCorpus(new Random(51), 80, { labels: 3, longest: 5 });
const spec = { templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]' };
const learner = train(corpus, { spec });
const bytes = writeModel(learner);
const tagger = Tagger.fromBytes(bytes);

describe('Tagger', () => {
  it.each(kernelRows)(
    'gives the best tags, their score and probabilities, as enumeration finds them: $name',
    ({ kernel, tolerance }) => {
      const own = new Tagger(readModel(bytes, 'own.model', kernel));
      const close = (found: number, expected: number) =>
        expect(difference([found], [expected])).toBeLessThanOrEqual(tolerance);
      for (const { tokens } of corpus.slice(0, 30)) {
        const encoded = own.model.encode(sentenceOf(tokens));
        const chain = new Enumeration(scoresOf(own.model.parameters, encoded));
        const analysis = own.analyze(tokens, {}, { marginals: true });
        expect(analysis.tags).toEqual(chain.best.map(y => own.labels[y]));
        close(analysis.score, chain.bestScore);
        for (const [t, y] of chain.best.entries()) {
          close(analysis.marginals![t]!, chain.nodes[t]![y]!);
        }
        const posterior = own.analyze(tokens, {}, { decoding: 'posterior' });
        expect(posterior.tags).toEqual(chain.posterior().map(y => own.labels[y]));
        close(posterior.score, chain.pathScore(chain.posterior()));
        expect(posterior).not.toHaveProperty('marginals');
      }
    },
  );

  it('gives a list of its own each time', () => {
    const { tokens } = corpus[0]!;
    const tags = tagger.tag(tokens);
    tags.push('more');
    expect(tagger.tag(tokens)).toHaveLength(tokens.length);
  });

  it('has no tags for no tokens', () => {
    expect(tagger.tag([])).toEqual([]);
    expect(tagger.analyze([], {}, { marginals: true })).toEqual({
      ...{ tags: [], score: 0, marginals: [] },
    });
  });

  it('tags words that it has never seen', () => {
    const tags = tagger.tag(['never', 'seen']);
    expect(tags).toHaveLength(2);
    for (const each of tags) expect(tagger.labels).toContain(each);
  });

  it('gives spans where its tags mark some, and only there', () => {
    expect(tagger.analyze(['w1'])).not.toHaveProperty('spans');
    const tokens = ['in', 'New', 'York', 'now'];
    const tags = ['O', 'B-LOC', 'I-LOC', 'O'];
    const own = train([sentenceOf(tokens, { tags })], { spec, passes: 30 });
    const { spans } = Tagger.fromBytes(writeModel(own)).analyze(tokens);
    expect(spans).toEqual([{ label: 'LOC', start: 1, end: 3 }]);
  });

  it('takes the columns that its templates ask for', () => {
    const columns = { pos: ['N', 'V'] };
    const sentences = [
      sentenceOf(['x', 'x'], { tags: ['A', 'B'], columns }),
      sentenceOf(['x', 'x'], { tags: ['B', 'A'], columns: { pos: ['V', 'N'] } }),
    ];
    const own = train(sentences, { spec: { templates: 'U:%x[0,pos]' }, passes: 20 });
    const posTagger = new Tagger(readModel(writeModel(own)));
    expect(posTagger.tag(['x', 'x'], columns)).toEqual(['A', 'B']);
    expect(posTagger.tag(['x'], { pos: ['V'] })).toEqual(['B']);
    expect(() => posTagger.tag(['x'])).toThrow(expect.objectContaining({ code: 'unknown-column' }));
    expect(() => posTagger.tag(['x'], { pos: ['N', 'V'] })).toThrow(
      expect.objectContaining({
        code: 'length-mismatch',
        problem: '1 token but 2 values in column "pos"',
      }),
    );
  });

  it('refuses columns of another length even where no template asks for them', () => {
    expect(() => tagger.tag(['w1', 'w2'], { other: ['x'] })).toThrow(
      expect.objectContaining({ code: 'length-mismatch' }),
    );
  });

  it('names the file that it could not read', () => {
    expect(() => Tagger.fromBytes(bytes.slice(0, 100), { source: 'my.model' })).toThrow(
      /^my\.model: /,
    );
  });

  it('follows a model in training, without making it grow', () => {
    const live = train(corpus, { spec });
    live.model.frozen = false;
    const own = new Tagger(live.model);
    live.model.encode(sentenceOf(['fresh', 'w1'], { tags: ['L0', 'L1'] }));
    const size = live.model.stateIndex.size;
    expect(own.tag(['fresh', 'w1', 'unseen'])).toHaveLength(3);
    expect(own.analyze(['fresh', 'w1']).score).toBeGreaterThan(-100);
    expect(live.model.stateIndex.size).toBe(size);
  });

  it('changes neither model nor what it is given', () => {
    const before = writeModel(learner);
    const tokens = Object.freeze(['w1', 'w2']);
    new Tagger(learner.model).analyze(tokens, Object.freeze({}), { marginals: true });
    expect(writeModel(learner)).toEqual(before);
  });
});

describe('Decoder', () => {
  it('decodes sentences of a minibatch as if each were alone', () => {
    const { model } = tagger;
    const encoded = corpus.slice(0, 20).map(sentence => model.encode(sentence));
    const options = { marginals: true };
    const decoder = new Decoder(model.kernel);
    const together = decoder.decode(model.parameters, packMinibatch(encoded), options);
    let t = 0;
    for (const [s, each] of encoded.entries()) {
      const alone = decoder.decode(model.parameters, packMinibatch([each]), options);
      expect(together.scores[s]).toBe(alone.scores[0]);
      expect(together.labels.subarray(t, t + each.length)).toEqual(alone.labels);
      expect(together.marginals!.subarray(t, t + each.length)).toEqual(alone.marginals);
      t += each.length;
    }
  });

  it('leaves what it has given as it was', () => {
    const { model } = tagger;
    const decoder = new Decoder(model.kernel);
    const [first, second] = corpus.map(sentence => packMinibatch([model.encode(sentence)]));
    const decoded = decoder.decode(model.parameters, first!, { marginals: true });
    const before = structuredClone(decoded);
    decoder.decode(model.parameters, second!, { marginals: true });
    expect(decoded).toEqual(before);
  });
});

describe('Tagger.tagText', () => {
  const tokens = ['in', 'New', 'York', 'now', '.'];
  const tags = ['O', 'B-LOC', 'I-LOC', 'O', 'O'];
  const own = (more: object) => {
    const trained = train([sentenceOf(tokens, { tags })], {
      spec: { ...spec, ...more },
      passes: 30,
    });
    return Tagger.fromBytes(writeModel(trained));
  };

  it('finds tokens, sentences, tags and spans, by tokens of the whole text', () => {
    const text = 'in  New York now.\n\nin New  York now.';
    const found = own({}).tagText(text);
    expect(found.tokens).toEqual([...tokens, ...tokens]);
    expect(found.offsets[7]).toEqual([27, 31]);
    expect(found.sentences).toEqual([
      [0, 5],
      [5, 10],
    ]);
    expect(found.tags).toEqual([...tags, ...tags]);
    expect(found.spans).toEqual([
      { label: 'LOC', start: 1, end: 3, offsets: [4, 12], text: 'New York' },
      { label: 'LOC', start: 6, end: 8, offsets: [22, 31], text: 'New  York' },
    ]);
  });

  it('divides as the model was trained', () => {
    const tokenize = { tokenizer: 'whitespace', sentences: false, locale: 'en' };
    const found = own({ tokenize }).tagText('in New York. now');
    expect(found.tokens).toEqual(['in', 'New', 'York.', 'now']);
    expect(found.sentences).toEqual([[0, 4]]);
  });

  it('has nothing of a text without tokens', () => {
    const nothing = { tokens: [], offsets: [], sentences: [], tags: [], spans: [] };
    expect(own({}).tagText(' \n')).toEqual({ text: ' \n', ...nothing });
  });
});

describe('what a caller without types gives', () => {
  it.each([
    [() => tagger.tag('It rains' as never), 'tokens is "It rains" (pass tokens as an array of str'],
    [() => tagger.tag(undefined as never), 'tokens is undefined'],
    [() => tagger.tag(['a', 5] as never), 'tokens[1] is 5'],
    [() => tagger.tagMany(['It rains'] as never), 'tokens is "It rains"'],
    [() => tagger.tagMany([null] as never), 'tokens is null'],
    [
      () => tagger.tagMany(undefined as never),
      'sentences is undefined (pass an array of sentences',
    ],
    [() => tagger.tagMany('It rains' as never), 'sentences is "It rains"'],
    [
      () => tagger.tagText(['It', 'rains'] as never),
      'text is ["It","rains"] (pass a string, or call tag',
    ],
    [() => tagger.analyze('a' as never), 'tokens is "a"'],
    [() => tagger.explain([null] as never), 'tokens[0] is null'],
  ])('is named: %s', (work, message) => {
    expect(work).toThrow(expect.objectContaining({ code: 'wrong-shape' }));
    expect(work).toThrow(message);
  });
});
