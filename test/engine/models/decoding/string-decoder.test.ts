import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { StringDecoder } from '../../../../src/engine/models/decoding/string-decoder.js';
import {
  readModel,
  readTaggingModel,
  writeModel,
} from '../../../../src/engine/models/files/model-file.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { train } from '../examples/train.js';

type Given = Partial<ModelSpec> & Pick<ModelSpec, 'templates'>;

const words = [
  'a',
  'B',
  'Bé',
  '😀',
  '\ud800',
  '',
  ' ',
  '"\\',
  '9:30',
  'constructor',
  'a-b',
  'long'.repeat(90),
];
const random = new Random(7);
const pick = (list: readonly string[]) => list[random.below(list.length)]!;

function sentences(count: number, more: readonly string[] = []): Sentence[] {
  return Array.from({ length: count }, () => {
    const length = 1 + random.below(9);
    const tokens = Array.from({ length }, () => pick([...words, ...more]));
    const tags = tokens.map(token => (token.length > 1 ? 'X' : pick(['Y', 'Z'])));
    return sentenceOf(tokens, { tags, columns: { pos: tokens.map(() => pick(['N', 'V'])) } });
  });
}

function taggerOf(spec: Given, compact = false): Tagger {
  const file = writeModel(train(sentences(60), { spec }), { compact });
  return new Tagger(compact ? readTaggingModel(file) : readModel(file));
}

const templates = 'U0:%x[0,0]\nU1:%x[-2,0]/%x[1,0]\nU2:%suffix[0,0,2]\nU3:%type[1,0]\nU4\nB';

describe('the best tags of strings', () => {
  it.each<[string, Given, boolean?]>([
    ['of words', { templates }],
    ['of words, in a compact file', { templates }, true],
    ['with a column', { templates: `${templates}\nU5:%x[0,1]/%x[-1,0]`, columns: ['form', 'pos'] }],
    ['with a dictionary', { templates, dictionary: { minCount: 3 } }],
    [
      'with clusters',
      {
        templates: `${templates}\nU5:%cluster[0,0,c]\nU6:%cluster[-1,0,c,1]/%cluster[0,0,c,1]\nU7:%x[0,0]/%cluster[1,0,c]`,
        resources: {
          clusters: { c: wordClusters('010\ta\n011\tb\n1\ta-b\n1\tunseen\n', { fold: true }) },
        },
      },
    ],
  ])('are those of a sentence by itself: %s', (_, spec, isCompact = false) => {
    const tagger = taggerOf(spec, isCompact);
    expect(tagger.model.stateIndex.canGrow).toBe(!isCompact);
    expect(StringDecoder.of(tagger.model)).toBeDefined();
    const given = sentences(200, ['unseen', 'Unseen']);
    const expected = given.map(({ tokens, columns }) => tagger.analyze(tokens, columns).tags);
    expect(new Set(expected.flat()).size).toBe(3);
    expect(given.map(({ tokens, columns }) => tagger.tag(tokens, columns))).toEqual(expected);
    expect(tagger.tagMany(given)).toEqual(expected);
  });

  it('stay so when more texts have been met than there is room for', { tags: 'slow' }, () => {
    const tagger = taggerOf({ templates });
    const first = ['a', 'B', '😀'];
    const tags = tagger.tag(first);
    for (let from = 0; from < 70_000; from += 1000) {
      tagger.tag(Array.from({ length: 1000 }, (_, i) => `text ${from + i}`));
    }
    expect(tagger.tag(first)).toEqual(tags);
    const long = Array.from({ length: 40_000 }, (_, i) => `w${i % 3}`);
    expect(tagger.tag(long)).toEqual(tagger.analyze(long).tags);
  });

  it('are of no model that grows, and of one model are found in one place', () => {
    const grown = train(sentences(5), { spec: { templates } }).model;
    grown.frozen = false;
    expect(StringDecoder.of(grown)).toBeUndefined();
    const { model } = taggerOf({ templates });
    expect(StringDecoder.of(model)).toBe(StringDecoder.of(model));
  });

  it('have the errors of a sentence by itself', { tags: 'slow' }, () => {
    const tagger = taggerOf({ templates: 'U0:%x[0,1]\nB', columns: ['form', 'pos'] });
    const bad = { 'unknown-column': {}, 'length-mismatch': { pos: ['N', 'V'] } };
    for (const [code, columns] of Object.entries(bad)) {
      expect(() => tagger.tag(['a'], columns)).toThrow(expect.objectContaining({ code }));
      const many = [
        { tokens: ['a'], columns: { pos: ['N'] } },
        { tokens: ['a'], columns },
      ];
      expect(() => tagger.tagMany(many)).toThrow(expect.objectContaining({ code }));
    }
    expect(tagger.tagMany([[], { tokens: ['a'], columns: { pos: ['N'] } }])[0]).toEqual([]);
  });
});
