import fc from 'fast-check';
import { from, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { batch } from '../../../../src/engine/operators/batch.js';
import { characters } from '../../../../src/engine/operators/characters.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { segments } from '../../../../src/engine/operators/segments.js';
import { tag } from '../../../../src/engine/operators/tag.js';
import { CharacterText } from '../../../../src/engine/text/characters/character-text.js';
import {
  doubtfulPlaces,
  piecesOf,
} from '../../../../src/engine/text/characters/doubtful-places.js';
import { RawText } from '../../../../src/formats/codecs/conllu/raw-text.js';
import { learnTokenizer } from '../../../../src/runtime/pipeline/text/learn-tokenizer.js';
import { smallTreebank, treebankRecords } from '../../text/characters/small-treebank.js';

function goldOf(text: string) {
  const raw = new RawText();
  for (const record of treebankRecords(text)) raw.add(record);
  return raw.gold;
}

const learn = (unspaced: boolean) =>
  learnTokenizer(goldOf(smallTreebank(120, 1, unspaced)), { locale: 'en', seed: 1 });
const tokenizers = [
  { name: 'with spaces', learned: await learn(false) },
  { name: 'without spaces', learned: await learn(true) },
];

const pieces = [
  ...[
    'The',
    'dog',
    "doesn't",
    'Dr. Low',
    'U.S.',
    'a',
    '3,5',
    'é',
    'e\u0301',
    '日本語',
    'หมา',
    'سلام',
  ],
  ...[' ', '  ', '\n', '\n\n', '\r\n \r\n', '\t', '\u00a0', '\u3000', '\u200b', '\u2029', '\ufeff'],
  ...[
    '.',
    '...',
    ',',
    '!',
    "'",
    '"',
    '-',
    '(',
    '😀',
    '👨\u200d👩\u200d👧',
    '🇫🇷',
    '𝒜',
    '\ud83d',
    '\ude00',
  ],
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map(parts => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const settings = { seed: 1, numRuns: 150 };

describe.each(tokenizers)('a tokenizer learned from text $name', ({ name, learned }) => {
  it('finds the words and sentences of new text of its kind', () => {
    const gold = goldOf(smallTreebank(40, 2, name === 'without spaces'));
    const found = learned.divide(gold.text);
    const known = new Set(gold.offsets.map(range => range.join()));
    const right = found.offsets.filter(range => known.has(range.join())).length;
    expect((2 * right) / (gold.offsets.length + found.offsets.length)).toBeGreaterThan(0.98);
    expect(found.sentences.length).toBeGreaterThan(30);
    expect(found.multiword.length).toBeGreaterThan(3);
    for (const [start, end] of found.multiword) {
      const [from] = found.offsets[start]!;
      expect(gold.text.slice(from, found.offsets[end - 1]![1])).toBe("doesn't");
    }
  });

  it('gives words in order, apart, without white space around, and sentences of all of them', () => {
    fc.assert(
      fc.property(texts, text => {
        const { offsets, sentences, multiword } = learned.divide(text);
        let end = 0;
        for (const [from, to] of offsets) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          const word = text.slice(from, to);
          expect(word.trim()).toBe(word);
          expect(word).not.toMatch(/\n\s*\n/);
          end = to;
        }
        const kept = offsets.map(([from, to]) => text.slice(from, to)).join('');
        expect(kept.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        expect(sentences.map(([from]) => from)).toEqual(
          [0, ...sentences.map(([, to]) => to)].slice(0, sentences.length),
        );
        expect(sentences.at(-1)?.[1] ?? 0).toBe(offsets.length);
        for (const [from, to] of multiword) {
          expect(to).toBeGreaterThan(from + 1);
          for (let t = from + 1; t < to; t += 1) expect(offsets[t]![0]).toBe(offsets[t - 1]![1]);
        }
      }),
      settings,
    );
  });

  it('finds what its operators find, which know its characters as strings', async () => {
    const documents = fc.sample(texts, { seed: 2, numRuns: 60 }).map(text => ({ text }));
    const found = from(documents).pipe(
      characters(learned),
      featurize(learned.model),
      batch({ sentences: 8 }),
      tag(learned.model),
      segments(),
      toArray(),
    );
    for (const [i, document] of (await lastValueFrom(found)).entries()) {
      const { text } = documents[i]!;
      const { offsets, sentences } = learned.divide(text);
      expect(document).toEqual({
        ...{ text, offsets, sentences },
        tokens: offsets.map(([start, end]) => text.slice(start, end)),
      });
    }
  });

  it('divides each paragraph as if it were alone, and a long text as its parts', () => {
    const paragraph = goldOf(smallTreebank(6, 3, name === 'without spaces')).text.split('\n\n')[0]!;
    const alone = learned.divide(paragraph);
    const times = 400;
    const { offsets, sentences } = learned.divide(Array(times).fill(paragraph).join('\n\n'));
    expect(offsets).toHaveLength(times * alone.offsets.length);
    expect(sentences).toHaveLength(times * alone.sentences.length);
    const shift = 7 * (paragraph.length + 2);
    const seventh = offsets.slice(7 * alone.offsets.length, 8 * alone.offsets.length);
    expect(seventh).toEqual(alone.offsets.map(([start, end]) => [start + shift, end + shift]));
  });

  it('is asked for by the operators only where it is there', () => {
    expect(() => of({ text: '' }).pipe(characters(undefined))).toThrow(
      'the model has no learned tokenizer',
    );
  });
});

describe('pieces of many doubtful characters', () => {
  const never = { certain: () => -1 };
  const text = new CharacterText('abcdefghij'.repeat(300), [0, 3000]);
  const one = doubtfulPlaces(text, never, new Uint8Array(3000));
  const some = { certain: (_: CharacterText, at: number) => (at % 10 === 9 ? 1 : -1) };
  const many = doubtfulPlaces(text, some, new Uint8Array(3000));

  it.each([
    ['one run', one],
    ['many runs', many],
  ] as const)('label each place of %s once, and look beyond a cut through a run', (_, found) => {
    const cut = piecesOf(found, 700);
    const labelled = cut.flatMap(({ places, from, to }) => [...places.subarray(from, to)]);
    expect(labelled).toEqual([...found.places]);
    expect(cut.length).toBeGreaterThan(3);
    for (const { places, runs, from, to } of cut) {
      expect(runs[0]).toBe(0);
      const first = found.places.indexOf(places[0]!);
      for (const run of runs.subarray(1)) expect([...found.runs]).toContain(first + run);
      if (found === one && from + first > 0) expect(from).toBeGreaterThan(100);
      if (found === many) expect([from, to]).toEqual([0, places.length]);
    }
  });
});
