import fc from 'fast-check';
import { from, lastValueFrom, pipe, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { bundleModels } from '../../../../src/engine/models/files/bundle-models.js';
import { readLearnedTokenizer } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { characters } from '../../../../src/engine/operators/characters.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { segments } from '../../../../src/engine/operators/segments.js';
import { tag } from '../../../../src/engine/operators/tag.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { characterTokenizer } from '../../../../src/engine/text/tokenizers/character-tokenizer.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';

const words = ['我', '他們', '喜歡', '看', '大學', '學生', '大學生', '圖書館', '書'];
const sentences = Array.from({ length: 60 }, (_, n) => [
  ...[words[n % 2]!, words[2 + (n % 3 && 1)]!, words[4 + (n % 5)]!, '。'],
]);
const place = (i: number, length: number) =>
  length === 1 ? 'S' : i === 0 ? 'B' : i === length - 1 ? 'E' : 'I';
const corpus = sentences.map(sentence => ({
  tokens: sentence.flatMap(word => [...word]),
  tags: sentence.flatMap(word => Array.from(word, (_, i) => place(i, word.length))),
}));
const templates = ['U0:%x[0,0]', 'U1:%x[-1,0]/%x[0,0]', 'U2:%x[0,0]/%x[1,0]', 'B'];
const trained = (more: Partial<Parameters<typeof train>[0]>) =>
  train({ corpus, epochs: 8, names: false, features: { templates }, ...more });
const byCharacters = { tokenizer: 'characters', sentences: true } as const;

const kinds = [
  { name: 'B, I, E and S', bytes: (await trained({ tokenize: byCharacters })).bytes },
  {
    name: 'spans',
    bytes: (await trained({ tokenize: byCharacters, structure: 'segments', maxLength: 4 })).bytes,
  },
  {
    name: 'one sentence',
    bytes: (await trained({ tokenize: { tokenizer: 'characters', sentences: false } })).bytes,
  },
  {
    name: 'a look at the document',
    bytes: (
      await trained({
        tokenize: byCharacters,
        features: { templates: [...templates, 'U3:%document[0,0,case]'] },
      })
    ).bytes,
  },
];

const text = '他們喜歡圖書館。我看書。';
const found = ['他們', '喜歡', '圖書館', '。', '我', '看', '書', '。'];
const texts = fc
  .array(fc.constantFrom(...words, '。', ' ', '\n\n', 'e\u0301', '👩‍👩‍👧', 'abc', '\u{2f81a}'), {
    maxLength: 40,
  })
  .map(pieces => pieces.join(''));

describe.each(kinds)('a tagger of characters: $name', ({ bytes }) => {
  const tokenizer = readLearnedTokenizer(bytes);
  const tagger = Tagger.fromBytes(bytes);
  const splitting = Tagger.fromBytes(bytes);
  Object.assign(splitting.model.spec.tokenize!, { sentences: true });

  it('finds words and sentences', () => {
    const { offsets, sentences: ranges } = tokenizer.divide(text);
    expect(offsets.map(([start, end]) => text.slice(start, end))).toEqual(found);
    expect(ranges).toEqual([
      [0, 4],
      [4, 8],
    ]);
    expect(tokenizer.divide(' \n')).toMatchObject({ offsets: [], sentences: [] });
  });

  it('finds the spans of its tags, and other characters alone, in each text', () => {
    fc.assert(
      fc.property(texts, given => {
        const { offsets, sentences: ranges } = tokenizer.divide(given);
        // A text is several sentences, also of a model whose records are one each.
        const { offsets: own, spans } = splitting.tagText(given);
        const inside = new Set(
          spans!.flatMap(({ offsets: [from, to] }) =>
            own.filter(([start, end]) => start >= from && end <= to).map(String),
          ),
        );
        const all = [
          ...spans!.map(span => span.offsets),
          ...own.filter(each => !inside.has(String(each))),
        ];
        expect(offsets).toEqual(all.sort(([a], [b]) => a - b));
        expect(ranges.map(([start]) => start)).toEqual(
          [0, ...ranges.map(([, end]) => end)].slice(0, ranges.length),
        );
        expect(ranges.at(-1)?.[1] ?? 0).toBe(offsets.length);
      }),
      { numRuns: 40, seed: 4 },
    );
  });

  it('is what the operators do, from either beginning', async () => {
    const drawn = fc.sample(texts, { seed: 3, numRuns: 8 });
    const documents = ['他們看書', ' ', ...drawn].map(each => ({ text: each }));
    const { model } = tagger;
    const labelled = pipe(featurize(model), batch(), tag(model), segments(), toArray());
    const begun = tokenize({ tokenizer: characterTokenizer() });
    for (const begin of [begun, characters(tokenizer)]) {
      const results = await lastValueFrom(from(documents).pipe(begin, labelled));
      expect(results.map(({ offsets }) => offsets)).toEqual(
        documents.map(each => tokenizer.divide(each.text).offsets),
      );
      expect(results[0]!.tokens!.join('')).toBe(documents[0]!.text.replace(/\s/g, ''));
    }
    const bare = from([{ tokens: [...'我看書'], columns: { x: ['1', '2', '3'] } }]);
    expect(await lastValueFrom(bare.pipe(tokenize(), labelled))).toEqual([
      { tokens: ['我', '看', '書'], sentences: [[0, 3]] },
    ]);
  });

  it('divides in front of another model, in one file', async () => {
    const tags = words.map((_, i) => `T${i}`);
    const { bytes: other } = await train({
      corpus: [{ tokens: words, tags }],
      features: { templates: 'U:%x[0,0]' },
    });
    const whole = bundleModels([{ bytes: other }], { tokenizer: { bytes } });
    const { tokens, tags: own } = Tagger.fromBytes(whole).tagText(text);
    expect(tokens).toEqual(found);
    expect(own[2]).toBe('T7');
    // What is in a bundle is taken over by another one.
    const again = bundleModels([{ bytes: other }], { tokenizer: { bytes: whole } });
    expect(Tagger.fromBytes(again).tagText(text).tokens).toEqual(found);
    expect(() => bundleModels([{ bytes }], { tokenizer: { bytes: other } })).toThrow(
      'no learned tokenizer',
    );
  });
});
