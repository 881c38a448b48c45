import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../../src/engine/models/files/model-header.js';
import { LabelSet, partialBioes } from '../../../../src/engine/models/labels/label-set.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { convertTags } from '../../../../src/engine/text/tags/convert-tags.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';

const bioes = () => new LabelSet([], 1, undefined, 'bioes');

/** Names of one to three words, which follow each other now and then. */
function corpusOf(size: number, seed: number, scheme: 'BIO' | 'IOB1' = 'BIO') {
  const random = new Random(seed);
  return Array.from({ length: size }, () => {
    const tokens: string[] = [];
    const tags: string[] = [];
    while (tokens.length < 4) {
      const type = random.below(3);
      const length = type === 0 ? 1 : 1 + random.below(3);
      for (let i = 0; i < length; i += 1) {
        tokens.push(`${'xpl'[type]}${random.below(4)}${i === 0 ? '' : 'n'}`);
        tags.push(type === 0 ? 'O' : `${i === 0 ? 'B' : 'I'}-${type === 1 ? 'PER' : 'LOC'}`);
      }
    }
    return { tokens, tags: scheme === 'IOB1' ? convertTags(tags, 'IOB1') : tags };
  });
}

const features = { templates: ['U0:%x[0,0]', 'U1:%x[-1,0]', 'U2:%prefix[0,0,1]', 'B'] };
const encoded = { ...features, encode: 'bioes' as const };

describe('labels in BIOES of records in another scheme', () => {
  it.each([
    ['of single tokens', ['U0:%x[0,0]']],
    ['of single tokens, and transitions', ['U0:%x[0,0]', 'B']],
    ['of neighbours', ['U0:%x[0,0]', 'U1:%x[-1,0]']],
  ])('come out as tags of the records, by templates %s', async (_, templates) => {
    const corpus = corpusOf(30, 1);
    const { tagger } = await train({ corpus, features: { ...encoded, templates }, epochs: 3 });
    const sentences = corpus.map(({ tokens }) => tokens);
    const tags = sentences.map(tokens => [...tagger.analyze(tokens).tags]);
    expect(tagger.tagMany(sentences)).toEqual(tags);
    expect(sentences.map(tokens => tagger.tag(tokens))).toEqual(tags);
    expect(new Set(tags.flat().map(tag => tag[0]))).toEqual(new Set(['B', 'I', 'O']));
  });

  it.each([
    [
      ['B-X', 'I-X', 'O', 'B-X'],
      ['B-X', 'E-X', 'O', 'S-X'],
    ],
    [
      ['I-X', 'I-X', 'B-X', 'I-Y'],
      ['B-X', 'E-X', 'S-X', 'S-Y'],
    ],
    [
      ['S-X', 'B-X', 'E-X'],
      ['S-X', 'B-X', 'E-X'],
    ],
  ])('encodes %j as %j', (tags, expected) => {
    const labels = bioes();
    const gold = labels.goldOf(tags, true);
    expect(Array.from(gold, y => labels.name(y))).toEqual(expected);
    expect(Array.from(gold, y => labels.reported[y])).toEqual(convertTags(tags, 'BIO'));
    expect(labels.tags.every(tag => /^[OBI]/.test(tag))).toBe(true);
    expect(labels.numbersOf('B-X').map(y => labels.name(y))).toEqual(['B-X', 'S-X']);
  });

  it('leaves what partially known tags leave', () => {
    expect(partialBioes(['B-X', null, ['O', 'I-X'], 'E-X'])).toEqual([
      ...[['B-X', 'S-X'], null, ['O', 'I-X', 'E-X'], ['E-X']],
    ]);
  });

  it('refuses tags that mark no spans, and what has other labels', () => {
    expect(() => bioes().goldOf(['NOUN'], true)).toThrow('marks no span');
    const spec = { templates: 'U:%x[0,0]', encode: 'bioes' as const };
    expect(() => createModel({ ...spec, layers: { separator: '+' } })).toThrow(
      'cannot be combined with',
    );
  });

  it.each(['BIO', 'IOB1'] as const)('trains and tags records in %s', async scheme => {
    const heldOut = corpusOf(60, 2, scheme);
    const { bytes, scores } = await train({
      corpus: corpusOf(200, 1, scheme),
      features: encoded,
      heldOut,
    });
    expect(scores!.f1).toBeGreaterThan(85);
    expect(readModelHeader(bytes).labels).toContain('S-PER');
    const tagger = new Tagger(readModel(bytes));
    expect(new Set(tagger.labels)).toEqual(new Set(['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC']));
    for (const { tokens } of heldOut) {
      const { tags, spans } = tagger.analyze(tokens);
      expect(spans).toEqual(spansOf(tags));
      expect(convertTags(tags, 'BIO')).toEqual(tags);
    }
  });

  it('gives probabilities of tags, spans and sequences that agree with the list of all sequences', async () => {
    const { tagger } = await train({
      ...{ corpus: corpusOf(12, 3), features: encoded, epochs: 3 },
      trainer: { sgd: { eta0: 0.05, l2: 1 } },
    });
    for (const tokens of [['p1'], ['p1', 'l2n'], ['x1', 'p1', 'p2n'], ['p0', 'l0', 'x1']]) {
      for (const decoding of ['viterbi', 'posterior', 'minimum-risk'] as const) {
        const asked = { marginals: true, probability: true, spanProbabilities: true, nbest: 1000 };
        const found = tagger.analyze(tokens, {}, { ...asked, decoding });
        const all = found.nbest!;
        expect(new Set(all.map(({ tags }) => tags.join(' '))).size).toBe(all.length);
        const sum = (chosen: (tags: readonly string[]) => boolean) =>
          all.reduce((total, { tags, probability }) => total + (chosen(tags) ? probability : 0), 0);
        expect(sum(() => true)).toBeCloseTo(1, 4);
        const same = (tags: readonly string[]) => tags.join() === found.tags.join();
        if (decoding === 'viterbi') expect(found.probability).toBeCloseTo(sum(same), 4);
        for (const [t, tag] of found.tags.entries()) {
          expect(found.marginals![t]).toBeCloseTo(
            sum(tags => tags[t] === tag),
            4,
          );
          // The tag with the highest probability, whatever labels it is made of.
          if (decoding !== 'posterior') continue;
          for (const other of tagger.labels) {
            expect(sum(tags => tags[t] === other)).toBeLessThanOrEqual(found.marginals![t]! + 1e-4);
          }
        }
        if (decoding === 'posterior') continue;
        for (const { start, end, label, probability } of found.spans!) {
          const has = (tags: readonly string[]) =>
            spansOf(tags).some(s => s.start === start && s.end === end && s.label === label);
          expect(probability).toBeCloseTo(sum(has), 4);
        }
      }
    }
  });

  it('meets constraints on tags', async () => {
    const { tagger } = await train({ corpus: corpusOf(60, 1), features: encoded, epochs: 5 });
    const tokens = ['x1', 'x2', 'x3'];
    const ask = (constraints: Record<string, string[] | { not: string[] }>) =>
      tagger.analyze(tokens, {}, { constraints }).tags;
    expect(ask({ 1: ['B-PER'] })[1]).toBe('B-PER');
    expect(ask({ 1: ['B-PER'], 2: ['I-PER'] })).toEqual(['O', 'B-PER', 'I-PER']);
    expect(ask({ 2: ['B-LOC'] })[2]).toBe('B-LOC');
    expect(ask({ 0: { not: ['O'] } })[0]).not.toBe('O');
    expect(() => ask({ 0: ['I-PER'] })).toThrow();
  });

  it('learns from partial tags', async () => {
    const corpus = corpusOf(200, 1).map(({ tokens, tags }, i) => ({
      tokens,
      partialTags: tags.map((tag, t) =>
        (t + i) % 3 === 0 ? null : tag === 'O' ? tag : [tag, 'O'],
      ),
    }));
    const whole = corpusOf(100, 5);
    const heldOut = corpusOf(60, 2);
    const { scores } = await train({ corpus: [...whole, ...corpus], features: encoded, heldOut });
    expect(scores!.f1).toBeGreaterThan(90);
  });
});
