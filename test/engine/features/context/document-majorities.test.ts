import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { DocumentMajorities } from '../../../../src/engine/features/context/document-majorities.js';
import { classOfTypes } from '../../../../src/engine/features/context/type-counts.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { sentenceOf } from '../sentence-of.js';

interface Tagged {
  readonly sentence: Sentence;
  readonly tags: readonly string[];
  /** Number of its document. */
  readonly document: number;
}

const names = ['label', 'word', 'span', 'longer'] as const;

/** Sentences of a few words in documents of some sentences, with tags of spans that may be wrong in any way. */
function randomSentences(seed: number, documents: number): Tagged[] {
  const random = new Random(seed);
  const vocabulary = ['bath', 'Bath', 'BATH', 'City', 'city', 'of', '5', 'É', 'é'];
  const kinds = ['O', 'O', 'B-X', 'I-X', 'B-Y', 'I-Y'];
  return Array.from({ length: documents }, (_, document) =>
    Array.from({ length: 1 + random.below(9) }, (_, s) => {
      const tokens = Array.from(
        { length: 1 + random.below(6) },
        () => vocabulary[random.below(9)]!,
      );
      const started: Partial<Document> = s === 0 ? { startsDocument: true } : {};
      const sentence = sentenceOf(tokens);
      return {
        sentence: { ...sentence, document: { ...sentence.document, ...started } },
        tags: tokens.map(() => kinds[random.below(6)]!),
        document,
      };
    }),
  ).flat();
}

/** The context of sentence `s`, by looking through all others within reach. */
function lookedUp(all: readonly Tagged[], s: number, reach: number, marksSpans: boolean) {
  const { sentence, tags, document } = all[s]!;
  const others = all.filter(
    (other, i) => i !== s && Math.abs(i - s) <= reach && other.document === document,
  );
  const classOf = (types: string[]) => {
    const counts = new Map<string, number>();
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    return classOfTypes(counts) ?? '-';
  };
  const lowered = (tokens: readonly string[]) => tokens.map(token => token.toLowerCase());
  const counts = (token: string) => !marksSpans || token !== token.toLowerCase();
  const word = sentence.tokens.map(token =>
    counts(token)
      ? classOf(
          others.flatMap(other =>
            other.sentence.tokens.flatMap((each, t) => {
              if (each.toLowerCase() !== token.toLowerCase() || !counts(each)) return [];
              const tag = other.tags[t]!;
              return [marksSpans && tag !== 'O' ? tag.slice(2) : tag];
            }),
          ),
        )
      : '-',
  );
  const spanned = (fits: (theirs: string, own: string) => boolean) => {
    const column = sentence.tokens.map(() => '-');
    for (const own of marksSpans ? spansOf(tags) : []) {
      const text = lowered(sentence.tokens.slice(own.start, own.end)).join(' ');
      const types = others.flatMap(other =>
        spansOf(other.tags)
          .filter(({ start, end }) =>
            fits(lowered(other.sentence.tokens.slice(start, end)).join(' '), text),
          )
          .map(({ label }) => label),
      );
      column.fill(classOf(types), own.start, own.end);
    }
    return column;
  };
  return {
    label: tags,
    word,
    span: spanned((theirs, own) => theirs === own),
    longer: spanned((theirs, own) => theirs !== own && ` ${theirs} `.includes(` ${own} `)),
  };
}

describe('DocumentMajorities', () => {
  it.each([
    [0, true],
    [1, true],
    [3, true],
    [50, true],
    [2, false],
  ])('finds what a look through %i sentences on both sides finds (spans: %s)', (reach, marks) => {
    const all = randomSentences(reach + 1, 60);
    const majorities = new DocumentMajorities(marks, reach);
    const placed = all.flatMap(({ sentence, tags }) => majorities.push(sentence, tags));
    placed.push(...majorities.flush());
    expect(placed.map(({ tokens }) => tokens)).toEqual(all.map(({ sentence }) => sentence.tokens));
    let found = 0;
    for (const [s, { context }] of placed.entries()) {
      const expected = lookedUp(all, s, reach, marks);
      for (const name of names) expect(context![name]).toEqual(expected[name]);
      found += expected.longer.concat(expected.span).filter(each => each !== '-').length;
    }
    if (marks && reach > 0) expect(found).toBeGreaterThan(50);
  });

  it('passes a sentence on when enough have come after it, or its document has ended', () => {
    const majorities = new DocumentMajorities(true, 2);
    const push = (extras: Partial<Sentence> = {}) =>
      majorities.push({ ...sentenceOf(['A']), ...extras }, ['O']).length;
    expect([push(), push(), push(), majorities.pending]).toEqual([0, 0, 1, 2]);
    expect(push({ document: { startsDocument: true } })).toBe(2);
    // A record of several sentences is a document, which ends with its last one.
    const part = { count: 2, start: 0 };
    expect(push({ part: { ...part, index: 0 } })).toBe(1);
    expect(push({ part: { ...part, index: 1 } })).toBe(2);
    expect(majorities.flush()).toEqual([]);
  });

  it('keeps what sentences know already', () => {
    const majorities = new DocumentMajorities(true, 0);
    const [placed] = majorities.push({ ...sentenceOf(['A']), context: { case: ['N'] } }, ['O']);
    expect(placed!.context).toEqual({
      case: ['N'],
      label: ['O'],
      word: ['-'],
      span: ['-'],
      longer: ['-'],
    });
  });
});
